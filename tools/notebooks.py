"""Run the notebooks of examples/notebooks and store what they print: ``python tools/notebooks.py [NAME …]``.

Code cells share their names and run in an empty folder. The value of a last expression is shown as Jupyter shows it; a
line that begins with ``!`` is a command. No kernel is needed, so the tests can run them, too.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "examples" / "notebooks"
COMMAND = re.compile(r"^!(.*)$", re.MULTILINE)
TIME = re.compile(r" in \d+\.\d+s(?: \(\d+:\d\d:\d\d\))?")


def read(path: Path) -> dict[str, Any]:
    """The notebook as its file has it."""
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """The cells that are run, in order."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def run(notebook: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """The outputs of each code cell, run in the present folder."""
    names: dict[str, Any] = {"__name__": "__main__", "_command": command}
    for number, cell in enumerate(code_cells(notebook), start=1):
        yield outputs_of("".join(cell["source"]), names, number)


def outputs_of(source: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """What a cell prints, and the value of its last expression."""
    tree = ast.parse(COMMAND.sub(lambda found: f"_command({found[1]!r})", source))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"cell {number}", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
    text = TIME.sub("", printed.getvalue())
    streams = [{"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}] if text else []
    return streams + ([] if value is None else [shown(value, number)])


def shown(value: Any, number: int) -> dict[str, Any]:
    """A value as Jupyter stores it: as HTML where it has any, and as text."""
    data = {"text/plain": repr(value).splitlines(keepends=True)}
    if hasattr(value, "_repr_html_"):
        data = {"text/html": value._repr_html_().splitlines(keepends=True), "text/plain": [type(value).__name__]}
    return {"output_type": "execute_result", "execution_count": number, "data": data, "metadata": {}}


def command(line: str) -> None:
    """Run a command as a reader would type it, with the programs of this environment first."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    environment = {**os.environ, "PATH": path, "COLUMNS": "120"}
    done = subprocess.run(line, shell=True, env=environment, capture_output=True, text=True, check=False)
    print(done.stdout + done.stderr, end="")


def store(path: Path) -> None:
    """Run a notebook in an empty folder and write its outputs into the file."""
    notebook = read(path)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        found = list(run(notebook))
    for number, (cell, outputs) in enumerate(zip(code_cells(notebook), found, strict=True), start=1):
        cell["outputs"], cell["execution_count"] = outputs, number
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def markdown_of(notebook: dict[str, Any]) -> str:
    """A notebook as a page: text as it is, code in blocks, what it printed below."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else _fenced("python", source))
        parts += [_output(one) for one in cell.get("outputs", ())]
    return "\n\n".join(parts) + "\n"


def _output(output: dict[str, Any]) -> str:
    if output["output_type"] == "stream":
        return _fenced("text", "".join(output["text"]).rstrip())
    data = output["data"]
    if "text/html" in data:
        # a blank line would end the HTML in Markdown
        lines = (line for line in "".join(data["text/html"]).splitlines() if line.strip())
        return f'<div class="notebook-output">{" ".join(lines)}</div>'
    return _fenced("text", "".join(data["text/plain"]))


def _fenced(language: str, text: str) -> str:
    return f"```{language}\n{text}\n```"


if __name__ == "__main__":
    for chosen in sys.argv[1:] or sorted(path.stem for path in FOLDER.glob("*.ipynb")):
        store(FOLDER / f"{chosen}.ipynb")
        print(f"written: {FOLDER / chosen}.ipynb")

"""Pages of the documentation site that are written elsewhere: the API, notebooks, papers, and files of the root.

A hook of MkDocs, see mkdocs.yml; `make docs` builds the site.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent))
import notebooks
import paper_pages

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "reports" / "sample"
ELSEWHERE = {
    "contributing.md": ROOT / "CONTRIBUTING.md",
    "changelog.md": ROOT / "CHANGELOG.md",
    "minilm-mlm.md": ROOT / "biascheck" / "models" / "bundled" / "minilm-mlm" / "README.md",
}
API = """# API

Everything that `import biascheck` offers, in the order of the package; then what `biascheck.extend` adds for measures,
corpora and models of one's own.
"""
NOTEBOOK = re.compile(r"\]\((?:\.\./examples/notebooks/)?([\w-]+)\.ipynb\)")
ROLE = re.compile(r":(?:attr|class|data|func|meth|mod):<code>")
METADATA = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that lie outside docs/."""
    for name, path in ELSEWHERE.items():
        text = METADATA.sub("", path.read_text(encoding="utf-8")).replace("](docs/", "](")
        files.append(File.generated(config, name, content=text))
    for name, text in {"api.md": api_page(), **tutorials(), **paper_pages.pages()}.items():
        files.append(File.generated(config, name, content=text))
    for path in sorted(SAMPLES.glob("*.html")):
        files.append(File.generated(config, f"samples/{path.name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Lead links to files outside docs/ to their pages."""
    for name, path in ELSEWHERE.items():
        markdown = markdown.replace(f"](../{path.relative_to(ROOT).as_posix()})", f"]({name})")
    return NOTEBOOK.sub(r"](tutorials/\1.md)", markdown).replace("](../reports/sample/", "](samples/")


def on_page_content(html: str, **_: Any) -> str:
    """Names of classes and functions in docstrings are code; the role before them is a mark for other tools."""
    return ROLE.sub("<code>", html)


def tutorials() -> dict[str, str]:
    """The notebooks as pages, with what they printed when they were last run."""
    found = {}
    for path in sorted(notebooks.FOLDER.glob("*.ipynb")):
        text = NOTEBOOK.sub(r"](\1.md)", notebooks.markdown_of(notebooks.read(path)))
        source = f"\n*The notebook is `examples/notebooks/{path.name}`; its outputs are checked by the tests.*\n"
        found[f"tutorials/{path.stem}.md"] = text.replace("](../../docs/", "](../") + source
    return found


def api_page() -> str:
    """One section for each module that public names come from; mkdocstrings fills in the docstrings."""
    public = _imported(ROOT / "biascheck" / "__init__.pyi")
    sections = [f"\n## biascheck.{module}\n\n{_directives(module, names)}" for module, names in public.items()]
    known = {name for names in public.values() for name in names}
    for module, names in _imported(ROOT / "biascheck" / "extend.py").items():
        if new := [name for name in names if name not in known]:
            sections.append(f"\n## biascheck.extend: {module}\n\n{_directives(module, new)}")
    return API + "".join(sections)


def _imported(path: Path) -> dict[str, list[str]]:
    """The names that a file takes from modules of the package, by module."""
    modules: dict[str, list[str]] = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module != "__future__":
            name = node.module.removeprefix("biascheck.")
            modules.setdefault(name, []).extend(alias.name for alias in node.names)
    return modules


def _directives(module: str, names: list[str]) -> str:
    return "\n".join(f"::: biascheck.{module}.{name}\n" for name in names)

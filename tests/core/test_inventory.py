"""Everything in the cache folder is counted by kind, and removed unless a living process works on it."""

import sys

import pytest

from biascheck import cli
from biascheck.core.files import hold, lock_of
from biascheck.core.inventory import clear, entries_in, in_use
from biascheck.core.store import DocumentCache, digest_of

TINY = "tiny-lora-0123456789abcdef"
KEY = digest_of("key")
FILES = {
    f"results/{KEY}.json": ("results", KEY),
    f"results/{KEY}.lock": ("locks", KEY),
    f"results/.{KEY}.json.ab_d1234": ("staging", KEY),
    f"states/{KEY}.npz": ("states", KEY),
    f"scores/{KEY}.npy": ("scores", KEY),
    f"scores/.{KEY}.npy.ab_d1234": ("staging", KEY),
    f"checkpoints/{TINY}/model.safetensors": ("checkpoints", TINY),
    f"checkpoints/{TINY}.lock": ("locks", TINY),
    f"checkpoints/{TINY}.lock.holder": ("locks", TINY),
    f"checkpoints/{TINY}.training": ("training states", TINY),
    f"checkpoints/{TINY}.training.partial": ("training states", TINY),
    f"checkpoints/{TINY}.training.damaged-2": ("training states", TINY),
    f"checkpoints/.{TINY}-abcd1234/model.safetensors": ("staging", TINY),
    "models/minilm-mlm-0123456789ab-0123456789ab/config.json": ("models", "minilm-mlm-0123456789ab-0123456789ab"),
    "models/.planted-1-0-0123456789ab.lock": ("locks", "planted-1-0-0123456789ab"),
    "models/.planted-1-0-0123456789ab-x2345678/config.json": ("staging", "planted-1-0-0123456789ab"),
}
FOREIGN = ["results/notes.txt", "checkpoints/thesis/chapter.tex", "elsewhere/notes.txt", "README"]


def fill(folder, names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"0123456789")


@pytest.fixture
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("BIASCHECK_CACHE", str(folder))
    fill(folder, FILES)
    return folder


@pytest.fixture
def run(monkeypatch, capsys):
    def invoke(*arguments):
        monkeypatch.setattr(sys, "argv", ["biascheck", "cache", *arguments])
        with pytest.raises(SystemExit) as left:
            cli.main()
        captured = capsys.readouterr()
        return left.value.code, captured.out.splitlines(), captured.err

    return invoke


@pytest.fixture
def trainer(cache, held_elsewhere):
    """Another process that holds the lock of the checkpoint."""
    with held_elsewhere(cache / "checkpoints" / f"{TINY}.lock") as process:
        yield process


def files_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_each_file_has_its_kind_and_what_it_belongs_to(cache):
    fill(cache, FOREIGN)
    found = {str(e.path.relative_to(cache)): (e.kind, e.owner) for e in entries_in(cache)}
    expected = {"/".join(name.split("/")[:2]): told for name, told in FILES.items()}
    assert {name: told for name, told in found.items() if told[0] != "other"} == expected
    assert {name for name, told in found.items() if told[0] == "other"} == {
        "results/notes.txt",
        "checkpoints/thesis",
        "elsewhere",
        "README",
    }


def test_info_counts_every_kind_with_its_size(run, cache):
    (cache / "results" / f"{KEY}.json").write_bytes(b"x" * 1_500_000)
    (cache / "checkpoints" / f".{TINY}-abcd1234" / "second").write_bytes(b"x" * 300_000)
    _, out, _ = run("info")
    assert out == [
        f"{cache}: 1.8 MB",
        "  1 result, 1.5 MB",
        "  1 state, 0.0 MB",
        "  1 chunk of scores, 0.0 MB",
        "  1 checkpoint, 0.0 MB",
        "  1 model, 0.0 MB",
        "  3 training states, 0.0 MB",
        "  4 unfinished files or folders, 0.3 MB",
        "  4 locks, 0.0 MB",
    ]


def test_clear_removes_everything_of_ours_and_nothing_else(run, cache):
    fill(cache, FOREIGN)
    _, out, _ = run("clear")
    assert files_in(cache) == sorted(FOREIGN)
    assert out == [
        "removed 1 result, 1 state, 1 chunk of scores, 1 checkpoint, 1 model, 3 training states, "
        "4 unfinished files or folders, 4 locks (0.0 MB)",
        "left alone: 4 files of others, which biascheck did not write",
    ]
    assert run("clear")[1][0] == "removed nothing (0.0 MB)"


def test_what_a_living_process_uses_is_kept_and_said(run, cache, trainer):
    before = [name for name in files_in(cache) if TINY in name]
    _, out, _ = run("clear")
    assert files_in(cache) == before
    assert out[1].startswith(f"not removed: checkpoints/{TINY} is in use by process {trainer.pid} (")
    assert run("info")[1][-1].startswith(f"in use: checkpoints/{TINY} by process {trainer.pid} (")


def test_what_a_killed_process_used_is_removed(cache, trainer):
    trainer.kill()
    trainer.wait()
    assert in_use(cache) == []
    assert clear(cache).kept == ()
    assert files_in(cache) == []


def test_one_kind_alone(run, cache):
    _, out, _ = run("clear", "--only", "training states", "--only", "models")
    left = files_in(cache)
    assert out == ["removed 1 model, 3 training states (0.0 MB)"]
    assert not [name for name in left if ".training" in name or "minilm" in name]
    assert len(left) == len(FILES) - 4 - 1  # and the name that a killed process left beside its lock


def test_locks_go_with_the_last_of_what_they_guard(cache):
    clear(cache, ["results", "staging"])
    assert not list((cache / "results").iterdir())
    assert (cache / "checkpoints" / f"{TINY}.lock").exists()


def test_an_unknown_kind_names_those_there_are(run, cache):
    code, _, err = run("clear", "--only", "everything")
    assert code == 2
    listed = "results, items, states, scores, answers, checkpoints, models"
    assert f"no kind 'everything' in the cache; there are: {listed}" in err
    assert len(files_in(cache)) == len(FILES)


def test_an_empty_cache(run, tmp_path, monkeypatch):
    monkeypatch.setenv("BIASCHECK_CACHE", str(tmp_path / "absent"))
    assert run("info")[1] == [f"{tmp_path / 'absent'}: 0.0 MB"]
    assert run("clear")[1] == ["removed nothing (0.0 MB)"]
    assert not (tmp_path / "absent").exists()


def test_a_real_result_is_counted_while_it_is_measured(cache):
    key = digest_of("another")
    seen = []

    def compute():
        seen.extend((used.path.name, clear(cache).kept) for used in in_use(cache))
        return 1

    DocumentCache(cache / "results").fetch(key, compute)
    ((name, kept),) = seen
    assert name == key
    assert [used.path.name for used in kept] == [key]
    assert (cache / "results" / f"{key}.json").exists()


def test_a_link_out_of_the_cache_is_removed_and_not_followed(cache, tmp_path):
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").write_text("x")
    (cache / "checkpoints" / "linked-fedcba9876543210").symlink_to(tmp_path / "precious")
    clear(cache)
    assert (tmp_path / "precious" / "file").exists()
    assert files_in(cache) == []


def test_the_lock_of_a_target_covers_its_group(cache):
    with hold(lock_of(cache / "checkpoints" / TINY), "it"):
        assert {e.owner for e in entries_in(cache) if e.path.parent.name == "checkpoints"} == {TINY}

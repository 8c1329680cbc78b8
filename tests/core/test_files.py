"""Files and folders are on the disk before they are renamed, and a failure leaves nothing behind."""

import errno
import os
import stat
from pathlib import Path

import pytest

from biascheck.core.files import full_disk_in, remove, replacing, staged_folder, staging_folders, write_atomically


@pytest.fixture
def calls(monkeypatch):
    """What is synced and renamed, in order; a descriptor is identified by its inode."""
    made = []
    sync, replace, rename = os.fsync, os.replace, os.rename

    def synced(handle):
        found = os.fstat(handle)
        made.append(("folder" if stat.S_ISDIR(found.st_mode) else "file", found.st_ino))
        sync(handle)

    def renamed(call):
        def run(source, target, **rest):
            made.append(("rename", Path(source).stat().st_ino))
            call(source, target, **rest)

        return run

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", renamed(replace))
    monkeypatch.setattr(os, "rename", renamed(rename))
    return made


def test_a_file_is_synced_then_renamed_then_its_folder_is_synced(tmp_path, calls):
    path = tmp_path / "results.json"
    write_atomically(path, "größe")
    inode = path.stat().st_ino
    assert calls == [("file", inode), ("rename", inode), ("folder", tmp_path.stat().st_ino)]
    assert path.read_text(encoding="utf-8") == "größe"


def test_every_file_of_a_folder_is_synced_before_the_folder_is_renamed(tmp_path, calls):
    with staged_folder(tmp_path / "model") as folder:
        (folder / "sub").mkdir()
        for name in ("weights", "sub/deeper"):
            (folder / name).write_text(name)
    made = tmp_path / "model"
    place = calls.index(("rename", made.stat().st_ino))
    inside = {("file", (made / "weights").stat().st_ino), ("file", (made / "sub" / "deeper").stat().st_ino)}
    inside |= {("folder", (made / "sub").stat().st_ino), ("folder", made.stat().st_ino)}
    assert set(calls[:place]) == inside
    assert calls[place + 1 :] == [("folder", tmp_path.stat().st_ino)]


@pytest.mark.parametrize("where", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_and_no_other(tmp_path, monkeypatch, where):
    path = tmp_path / "results.json"
    write_atomically(path, "old")

    def full(*_arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, where, full)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_interrupted_block_leaves_the_old_file(tmp_path):
    path = tmp_path / "state"
    path.write_text("old")

    def write():
        with replacing(path, tmp_path / "state.partial") as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()
    assert [p.name for p in tmp_path.iterdir()] == ["state"]


def test_a_long_name_can_be_written(tmp_path):
    name = "ä" * 120
    write_atomically(tmp_path / name, "x")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_only_the_staging_folders_of_a_target_are_found(tmp_path):
    for name in (".model-abcd1234", ".model-abcd1234-abcd1234", ".model-x", "model-abcd1234", ".other-abcd1234"):
        (tmp_path / name).mkdir()
    (tmp_path / ".model-file1234").write_text("")
    assert [path.name for path in staging_folders(tmp_path / "model")] == [".model-abcd1234"]
    with staged_folder(tmp_path / "model") as staging:
        assert staging in staging_folders(tmp_path / "model")


def test_removing(tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "kept")
    (tmp_path / "folder" / "sub").mkdir(parents=True)
    for name in ("link", "folder", "absent"):
        remove(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert (tmp_path / "kept" / "file").exists()


def test_a_full_disk_is_found_inside_other_errors():
    full = OSError(errno.ENOSPC, "No space left on device")
    wrapped = RuntimeError("unexpected pos 704 vs 598")  # as torch does
    wrapped.__context__ = full
    assert full_disk_in(wrapped) is full
    words = ValueError("I/O error: No space left on device (os error 28)")
    assert full_disk_in(words) is words
    for other in (None, ValueError("x"), OSError(errno.EACCES, "Permission denied")):
        assert full_disk_in(other) is None

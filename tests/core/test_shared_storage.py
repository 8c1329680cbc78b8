"""A cache at an address: machines share finished entries, and damaged ones are computed again."""

import sys
import warnings

import pytest

from biascheck.core.errors import BiascheckWarning, UsageError
from biascheck.core.shared_storage import file_at, is_address, mirrored, store_at
from biascheck.core.store import cache_folder, digest_of, results_cache
from biascheck.mitigation.checkpoints import fetch_checkpoint

pytest.importorskip("fsspec", reason="needs fsspec: pip install 'pytest-biascheck[remote]'")

KEY = digest_of("key")


@pytest.fixture(params=["memory", "file"])
def address(request, tmp_path, monkeypatch):
    """An empty shared cache, in the memory of this process or in a folder."""
    place = f"memory://{tmp_path.name}/cache" if request.param == "memory" else f"file://{tmp_path}/shared"
    monkeypatch.setenv("BIASCHECK_CACHE", place)
    return place


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """Work on a machine with this name: it has a folder of its own."""

    def work_on(name):
        monkeypatch.setattr("platformdirs.user_cache_path", lambda _: tmp_path / name)
        return cache_folder()

    return work_on


def not_again():
    pytest.fail("computed a second time")


def test_a_result_of_one_machine_is_found_on_another(address, machine):
    first = machine("first")
    assert results_cache().fetch(KEY, lambda: {"figure": 0.1}) == {"figure": 0.1}
    assert [*store_at(address).names()] == [f"results/{KEY}.json"]
    second = machine("second")
    assert first != second
    assert results_cache().fetch(KEY, not_again) == {"figure": 0.1}
    assert (second / "results" / f"{KEY}.json").is_file()


def test_a_damaged_object_is_computed_again_and_put_in_its_place(address, machine):
    machine("first")
    results_cache().fetch(KEY, lambda: {"figure": 0.1})
    name = f"results/{KEY}.json"
    store_at(address).write(name, store_at(address).read(name).replace(b"0.1", b"0.9"))
    machine("second")
    with pytest.warns(BiascheckWarning, match="is damaged"):
        assert results_cache().fetch(KEY, lambda: {"figure": 0.1}) == {"figure": 0.1}
    machine("third")
    assert results_cache().fetch(KEY, not_again) == {"figure": 0.1}


def test_a_checkpoint_is_trained_once_for_all_machines(address, machine):
    def build(folder, _state):
        built.append(folder)
        (folder / "model.safetensors").write_bytes(b"weights")
        (folder / "config.json").write_text("{}")

    built = []
    for name in ("first", "second", "third"):
        machine(name)
        target = fetch_checkpoint("tiny", {"epochs": 1}, build)
        assert (target / "model.safetensors").read_bytes() == b"weights"
    assert len(built) == 1
    weights = next(name for name in store_at(address).names() if name.endswith("model.safetensors"))
    store_at(address).write(weights, b"half")
    machine("fourth")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BiascheckWarning)
        target = fetch_checkpoint("tiny", {"epochs": 1}, build)
    assert (target / "model.safetensors").read_bytes() == b"weights"
    assert len(built) == 2


def test_data_at_an_address_is_fetched_once_and_again_where_it_changed(tmp_path, machine, monkeypatch):
    machine("first")
    address = f"memory://{tmp_path.name}/data"
    store = store_at(address)
    store.write("gap/a.tsv", b"one")
    store.write("gap/b.tsv", b"two")
    folder = mirrored(address)
    assert sorted(path.name for path in folder.rglob("*.tsv")) == ["a.tsv", "b.tsv"]
    store.write("gap/b.tsv", b"three")
    fetched = []
    monkeypatch.setattr(
        type(store), "read", lambda self, name: fetched.append(name) or self.files.cat_file(f"{self.root}/{name}")
    )
    assert (mirrored(address) / "gap" / "b.tsv").read_bytes() == b"three"
    assert fetched == ["gap/b.tsv"]


def test_addresses_differ_from_paths_and_unknown_ones_are_refused():
    assert [is_address(place) for place in ("s3://bucket/x", "memory://x", "/tmp/x", "x", "C:\\x", None)] == [
        True,
        True,
        False,
        False,
        False,
        False,
    ]
    with pytest.raises(UsageError, match="nowhere://x cannot be reached"):
        store_at("nowhere://x")
    with pytest.raises(UsageError, match="names no file in a folder"):
        file_at("memory://results.json")


def test_without_fsspec_an_address_names_the_extra_that_is_not_ray(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(UsageError, match=r"the address s3://bucket/one needs fsspec, .*'pytest-biascheck\[remote\]'"):
        store_at("s3://bucket/one")


def test_a_store_that_needs_its_own_package_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(UsageError, match=r"its store needs a package of its own \(Install s3fs"):
        store_at("s3://bucket/two")

"""The items of a large result: columns in memory, a Parquet file beside the results, the same items in the end."""

import json
import sys
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from biascheck import stats
from biascheck.core.errors import BiascheckWarning, ResultError
from biascheck.core.files import large_files_in
from biascheck.core.store import DocumentCache, caching
from biascheck.results import items as item_columns
from biascheck.results.codec import result_from_dict, result_to_dict, storable
from biascheck.results.compare import compare
from biascheck.results.items import ItemColumns, ItemScore, Shown, gathered_items, sample_of
from biascheck.results.summaries import summarise
from biascheck.runs.file import read_results, write_results
from support.handmade import result_of

pyarrow = pytest.importorskip("pyarrow")
MANY = 12


@pytest.fixture(autouse=True)
def columns_from_ten(monkeypatch):
    monkeypatch.setattr(item_columns, "COLUMNS_FROM", 10)
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)  # these tests may themselves run on a worker


def items(count=MANY, scale=1.0):
    return [
        ItemScore(
            id=f"é{n}",
            score=scale * (n % 5 - 2),
            cluster=f"c{n % 6}",
            groups={"m": scale * n, "f": 2.0},
            labels={"template": f"t{n % 2}", "share": 0.5, **({"mixed": n} if n % 2 else {"mixed": "x"})},
            sentences={"m": Shown("he ran", 0, 2), "f": Shown("she ran", 0, 3)} if n % 3 else {},
        )
        for n in range(count)
    ]


def result(found=None):
    return result_of(found or items(), contrast=("m", "f"))


NUMBERS = st.floats(-1e9, 1e9)
ITEMS = st.builds(
    ItemScore,
    id=st.text(max_size=4),
    score=NUMBERS,
    cluster=st.text(max_size=2),
    groups=st.dictionaries(st.text(max_size=2), NUMBERS, max_size=3),
    side=st.sampled_from([None, "A", "B"]),
    covariate=st.none() | NUMBERS,
    labels=st.dictionaries(st.text(max_size=2), st.text(max_size=2) | NUMBERS | st.integers(-5, 5), max_size=3),
    sentences=st.dictionaries(st.text(max_size=2), st.builds(Shown, st.text(max_size=5), st.just(0), st.just(1))),
    draw=st.none() | st.integers(0, 5),
)


@pytest.mark.takes_seconds
@given(st.lists(ITEMS, max_size=15))
def test_an_item_comes_back_from_columns_as_it_was(found):
    columns = ItemColumns(found)
    assert list(columns) == found
    assert columns == tuple(found)
    assert list(map(repr, columns)) == list(map(repr, found))  # 1, 1.0 and True are not the same label


@pytest.mark.takes_seconds
@given(st.lists(ITEMS, min_size=1, max_size=15))
def test_columns_give_the_statistics_the_same_sample(found):
    whole, columns = sample_of(tuple(found)), sample_of(ItemColumns(found))
    assert whole.values.tolist() == columns.values.tolist()
    assert (whole.clusters, whole.sides, whole.draws) == (columns.clusters, columns.sides, columns.draws)
    assert (whole.covariate is None) == (columns.covariate is None)
    if whole.covariate is not None:
        assert whole.covariate.tolist() == columns.covariate.tolist()


def test_few_items_stay_objects_and_many_become_columns():
    assert isinstance(gathered_items(iter(items(10))), tuple)
    assert isinstance(gathered_items(iter(items(11))), ItemColumns)
    assert isinstance(result().items, ItemColumns)


@pytest.mark.parametrize("statistic", ["mean", "mean_absolute", "share_positive", "balance", "cluster_mean"])
def test_figures_of_columns_are_those_of_objects(statistic, monkeypatch):
    columns = summarise(replace(result(), statistic=statistic))
    monkeypatch.setattr(item_columns, "COLUMNS_FROM", 1_000)
    whole = summarise(replace(result(), statistic=statistic, items=tuple(items())))
    assert isinstance(whole.items, tuple)
    assert isinstance(columns.items, ItemColumns)
    for name in ("estimate", "interval", "p", "effect_size", "n", "clusters"):
        assert getattr(columns, name) == getattr(whole, name)
    assert columns.where(template="t1") == whole.where(template="t1")
    assert columns.between("f", "m") == whole.between("f", "m")
    assert columns.top_contributors() == whole.top_contributors()
    assert columns.to_frame().equals(whole.to_frame())


@pytest.mark.parametrize(
    "later",
    [
        items(40, 2.0),
        items(40),
        items(40, 2.0)[::-1],
        items(40, 2.0)[5:],
        [*items(40, 2.0)[:30], replace(items(1)[0], id="another")],
        [*items(40, 2.0), replace(items(1)[0], score=9.0)],  # an id twice: the last one counts
    ],
    ids=["same", "unchanged", "reversed", "fewer", "another", "repeated"],
)
@pytest.mark.parametrize("named_by", ["", "template"])
def test_a_comparison_of_columns_is_that_of_objects(later, named_by, monkeypatch):
    def compared(limit):
        monkeypatch.setattr(item_columns, "COLUMNS_FROM", limit)
        before, after = result_of(items(40), model="before"), result_of(later, model="after", named_by=named_by)
        assert isinstance(after.items, ItemColumns if limit < 30 else tuple)
        return compare(before, after), after.top_contributors(9)

    columns, objects = compared(10), compared(1_000)
    assert columns == objects
    assert columns[0].n == len({item.id for item in items(40)} & {item.id for item in later})
    assert columns[0].moves


def test_a_results_file_refers_to_a_file_beside_it(tmp_path):
    path = tmp_path / "results.json"
    write_results(path, [result()])
    document = json.loads(path.read_text(encoding="utf-8"))["results"][0]
    assert document["schema"] == 4
    beside = tmp_path / document["items"]["file"]
    assert beside.name.startswith("results.items-")
    assert document["items"]["count"] == MANY
    (read,), _ = read_results(path)
    assert read == result()
    table = __import__("pandas").read_parquet(beside)
    assert table["score"].tolist() == [item.score for item in items()]
    assert table["label:template"].tolist() == [f"t{n % 2}" for n in range(MANY)]
    assert table["label:share"].tolist() == [0.5] * MANY


def test_a_small_result_is_written_as_before(tmp_path):
    path = tmp_path / "results.json"
    write_results(path, [result(items(9))])
    document = json.loads(path.read_text(encoding="utf-8"))["results"][0]
    assert document["schema"] == 3
    assert len(document["items"]) == 9
    assert sorted(tmp_path.iterdir()) == [path]


def test_items_of_an_earlier_run_are_removed(tmp_path):
    path = tmp_path / "results.json"
    write_results(path, [result()])
    (first,) = tmp_path.glob("*.parquet")
    other = tmp_path / "mine.parquet"
    other.write_bytes(b"not ours")
    write_results(path, [result(items(scale=2.0))])
    assert not first.exists()
    assert other.exists()
    assert len(list(tmp_path.glob("results.items-*.parquet"))) == 1


def fresh(path):
    """Read as another process would: nothing that was written is in memory."""
    from biascheck.results import item_files

    item_files._READ.clear()
    return read_results(path)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda file: file.unlink(), r"which is not there; keep it beside the file that names it"),
        (lambda file: file.write_bytes(file.read_bytes()[:-9]), r"its checksum does not match"),
        (lambda file: file.write_bytes(b""), r"its checksum does not match"),
    ],
)
def test_a_missing_or_damaged_file_of_items_is_refused(damage, message, tmp_path):
    path = tmp_path / "results.json"
    write_results(path, [result()])
    (beside,) = tmp_path.glob("*.parquet")
    damage(beside)
    with pytest.raises(ResultError, match=message):
        fresh(path)


def referring(tmp_path, file, /, **changed):
    """A results file that names this file with its true checksum, and is wrong in what is ``changed``."""
    import hashlib

    path = tmp_path / "results.json"
    write_results(path, [result()])
    document = json.loads(path.read_text(encoding="utf-8"))
    items_of = document["results"][0]["items"]
    items_of.update(file=file.name, sha256=hashlib.sha256(file.read_bytes()).hexdigest())
    items_of.update(changed)
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def foreign(tmp_path, **columns):
    from pyarrow import parquet

    file = tmp_path / "other.parquet"
    parquet.write_table(pyarrow.table(columns or {"a": [1.0]}), file)
    return file


def test_a_parquet_file_of_something_else_is_refused(tmp_path):
    with pytest.raises(ResultError, match=r"other.parquet contains no items of biascheck"):
        fresh(referring(tmp_path, foreign(tmp_path)))


def test_what_is_no_parquet_is_refused(tmp_path):
    file = tmp_path / "other.parquet"
    file.write_bytes(b"text")
    with pytest.raises(ResultError, match=r"other.parquet is no Parquet file that can be read"):
        fresh(referring(tmp_path, file))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"count": 5}, r"has 12 items, and 5 were written"),
        ({"schema": 2}, r"items of schema 2, and this release reads 1; upgrade"),
        ({"file": "../results.items.parquet"}, r"refers to files beside it only"),
        ({"extra": 1}, r"unknown field 'extra' of a reference to items"),
        ({"sha256": 5}, r"needs a file, its sha256 and its count"),
    ],
)
def test_a_reference_that_is_wrong_is_refused(changed, message, tmp_path):
    write_results(tmp_path / "results.json", [result()])
    (file,) = tmp_path.glob("*.parquet")
    copy = tmp_path / "copy.parquet"
    copy.write_bytes(file.read_bytes())
    with pytest.raises(ResultError, match=message):
        fresh(referring(tmp_path, copy, **changed))


def test_an_infinite_score_in_a_file_is_refused(tmp_path):
    from pyarrow import parquet

    write_results(tmp_path / "results.json", [result()])
    (file,) = tmp_path.glob("*.parquet")
    table = parquet.read_table(file)
    scores = pyarrow.array([float("inf"), *[0.0] * (MANY - 1)])
    changed = tmp_path / "changed.parquet"
    parquet.write_table(table.set_column(1, "score", scores).replace_schema_metadata(table.schema.metadata), changed)
    with pytest.raises(ResultError, match="only finite numbers are allowed"):
        fresh(referring(tmp_path, changed))


def test_without_pyarrow_all_items_are_in_the_document(monkeypatch):

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    document = result_to_dict(result())
    assert document["schema"] == 3
    assert len(document["items"]) == MANY
    assert result_from_dict(json.loads(json.dumps(document))) == result()


def test_a_reference_without_pyarrow_says_what_to_install(tmp_path, monkeypatch):

    path = tmp_path / "results.json"
    write_results(path, [result()])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ResultError, match=r"reading it needs pyarrow, .* pip install 'pytest-biascheck\[arrow\]'"):
        fresh(path)


def test_a_worker_without_a_folder_that_lasts_sends_all_items(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw0")
    assert storable(result())["schema"] == 3
    with large_files_in(tmp_path):
        assert storable(result())["schema"] == 4


def test_a_cached_result_without_its_items_is_measured_again(tmp_path):
    from biascheck.measures.measure import _fetched
    from biascheck.results import item_files

    measured = []

    def compute():
        measured.append(1)
        return result_to_dict(result())

    def cache():
        item_files._READ.clear()
        return DocumentCache(tmp_path / "results")

    for again in (cache(), cache()):
        with caching(again):
            assert _fetched(again, "k" * 64, compute) == result()
    assert len(measured) == 1
    (kept,) = (tmp_path / "items").iterdir()
    kept.unlink()
    third = cache()
    with caching(third), pytest.warns(BiascheckWarning, match="a cached result is measured again"):
        assert _fetched(third, "k" * 64, compute) == result()
    assert len(measured) == 2


def test_intervals_come_from_cluster_sums():
    """Items that are spread over the same clusters in another way have the same sums, and so the same interval."""
    sums = [float(n) for n in range(1, 8)]
    whole = stats.Sample([s for s in sums for _ in range(2)], [f"c{n}" for n in range(7) for _ in range(2)])
    split = stats.Sample([2 * s if half else 0.0 for s in sums for half in (0, 1)], whole.clusters)
    assert stats.mean_interval(whole, "mean") == stats.mean_interval(split, "mean")

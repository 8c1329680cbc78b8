"""The frame of ``biascheck reproduce``: what is run, kept, refused and shown, on papers made up for the purpose."""

import json
import sys

import msgspec
import pytest

import biascheck
from biascheck import cli
from biascheck.core.errors import CapabilityError, DataNotFoundError, ResultError, UsageError
from biascheck.corpora import published_names
from biascheck.papers import (
    Absent,
    Bars,
    BarSeries,
    DrawnFigure,
    Paper,
    PaperTable,
    Setting,
    Value,
    Work,
    default_place,
    paper_named,
    papers,
    reproduce,
    run as running,
)
from biascheck.papers.page import read_reproduction
from biascheck.papers.paper import attempted
from biascheck.papers.run import duration_text, estimate_of
from biascheck.results.attachments import Point as ScatterPoint, Scatter


class Nothing:
    """A model without any capability, by which every cell says why it is empty."""

    name = "nothing<b>"
    fingerprint = "0" * 64


def paper(*tables, name="doe2020"):
    return Paper(name, "Doe 2020, <On> Things", "https://example.org/doe", tuple(tables))


def table(name, run, **more):
    return PaperTable(name, f"Title of {name}", run, **more)


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("BIASCHECK_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def calls():
    return []


@pytest.fixture
def counted(calls):
    def run(setting):
        calls.append(setting.scale)
        yield setting.cell("first", "left", ours=0.25, as_published=0.5, published="kurita2019.titles")

    return run


def test_a_table_that_was_finished_is_not_run_again(tmp_path, calls, counted):
    place, said = tmp_path / "page.html", []
    made = paper(table("table 1", counted), table("table 2", counted))
    first = reproduce(made, Setting(Nothing()), place, tables=["1"], say=said.append)
    assert (len(calls), first.not_run) == (1, ("table 2",))
    whole = reproduce(made, Setting(Nothing()), place, say=said.append)
    assert (len(calls), [one.name for one in whole.tables]) == (2, ["table 1", "table 2"])
    assert "1 tables and figures to run, 1 finished before" in "\n".join(said)
    assert read_reproduction(place.with_suffix(".json")) == whole


def test_an_interrupted_run_keeps_what_is_finished(tmp_path, calls, counted):
    def broken(_):
        raise KeyboardInterrupt

    place = tmp_path / "page.html"
    with pytest.raises(KeyboardInterrupt):
        reproduce(
            paper(table("table 1", counted), table("table 2", broken)), Setting(Nothing()), place, say=calls.append
        )
    kept = read_reproduction(place.with_suffix(".json"))
    assert ([one.name for one in kept.tables], kept.not_run) == (["table 1"], ("table 2",))
    assert "Not run yet: table 2" in place.read_text("utf-8")


def test_other_code_or_other_data_run_a_table_again(tmp_path, calls, counted, monkeypatch):
    place, data = tmp_path / "page.html", tmp_path / "data"
    (data / "gap").mkdir(parents=True)
    made = paper(table("table 1", counted, needs=("gap",)))
    for _ in range(2):
        reproduce(made, Setting(Nothing(), data), place, say=str)
    assert len(calls) == 1
    (data / "gap" / "new.tsv").write_text("x", encoding="utf-8")
    reproduce(made, Setting(Nothing(), data), place, say=str)
    assert len(calls) == 2
    monkeypatch.setattr(running, "package_code", lambda: "other")
    reproduce(made, Setting(Nothing(), data), place, say=str)
    assert len(calls) == 3


def test_a_page_is_of_one_scale_and_seed(tmp_path, counted):
    place, made = tmp_path / "page.html", paper(table("table 1", counted))
    reproduce(made, Setting(Nothing()), place, say=str)
    for other in (Setting(Nothing(), scale=0.5), Setting(Nothing(), seed=1)):
        with pytest.raises(UsageError, match="scale 1, seed 0; name another place with --out"):
            reproduce(made, other, place, say=str)


@pytest.mark.parametrize("content", ["{}", "[1", '{"schema": 3}'])
def test_a_file_of_another_kind_is_not_overwritten(tmp_path, counted, content):
    (tmp_path / "page.json").write_text(content, encoding="utf-8")
    with pytest.raises(ResultError, match="name another place with --out"):
        reproduce(paper(table("table 1", counted)), Setting(Nothing()), tmp_path / "page.html", say=str)
    assert (tmp_path / "page.json").read_text("utf-8") == content


class TestCells:
    def test_a_reason_takes_the_place_of_a_figure(self):
        def fails(error):
            raise error

        setting = Setting(Nothing())
        assert setting.tried(fails, CapabilityError("needs x")) == Absent("needs x", "not applicable")
        assert setting.tried(fails, DataNotFoundError("no gap")) == Absent("needs data: no gap")
        # what depends on something that is missing is missing for the same reason
        assert setting.tried(lambda given: given, Absent("no gap")) == Absent("no gap")
        with pytest.raises(ZeroDivisionError):  # a mistake of ours is not a reason
            setting.tried(lambda: 1 / 0)

    def test_a_cell_without_a_figure_must_say_why(self):
        with pytest.raises(UsageError, match="says why"):
            Absent("")

    def test_a_name_that_is_not_stored_is_a_mistake(self):
        with pytest.raises(UsageError, match=r"has no figure 'kurita2019\.tittles'"):
            Setting(Nothing()).cell("x", ours=1.0, published="kurita2019.tittles")

    @pytest.mark.parametrize(
        ("cells", "state"),
        [
            ([Value(1.0), Absent("x")], "reproduced"),
            ([Absent("x", "not applicable")], "not applicable"),
            ([Absent("x", "not applicable"), Absent("y")], "missing"),
            ([], "missing"),
        ],
    )
    def test_a_table_is_reproduced_not_applicable_or_missing(self, tmp_path, cells, state):
        made = paper(table("table 1", lambda s: (s.cell("r", ours=one) for one in cells)))
        found = reproduce(made, Setting(Nothing()), tmp_path / "page.html", say=str)
        assert (found.tables[0].state, found.count(state)) == (state, 1)

    def test_a_table_that_fails_as_a_whole_says_why(self, tmp_path):
        def run(setting):
            yield setting.folder("gap")

        found = reproduce(paper(table("table 1", run)), Setting(Nothing()), tmp_path / "page.html", say=str)
        assert found.tables[0].reasons == ("needs data: gap/ of the published data sets; pass --data DIR",)


class TestScale:
    def test_a_fraction_is_taken_and_never_less_than_needed(self):
        setting = Setting(Nothing(), scale=0.02)
        assert (setting.scaled(5_000), setting.scaled(20, least=3), setting.scaled(2, least=3)) == (100, 3, 2)
        assert Setting(Nothing()).scaled(5_000) == 5_000
        drawn = setting.sample(range(1_000))
        assert len(drawn) == 20
        assert list(drawn) == sorted(drawn)
        assert drawn == setting.sample(range(1_000))
        assert Setting(Nothing(), scale=0.02, seed=1).sample(range(1_000)) != drawn

    @pytest.mark.parametrize("scale", [0, -1, 1.5])
    def test_a_scale_is_above_zero_and_up_to_one(self, scale):
        with pytest.raises(UsageError, match="above 0 and up to 1"):
            Setting(Nothing(), scale=scale)

    def test_every_table_and_figure_says_so(self, tmp_path, counted):
        def drawn(_):
            yield DrawnFigure(
                title="Bars of it", content=Bars(places=("a", "b"), series=(BarSeries("s", (1.0, -2.0)),))
            )
            yield DrawnFigure(title="Points", content=Scatter(x="u", y="v", points=(ScatterPoint("p", 1, 2),)))

        made = paper(table("table 1", counted), table("figure 1", drawn))
        place = tmp_path / "page.html"
        reproduce(made, Setting(Nothing(), scale=0.02), place, say=str)
        page = place.read_text("utf-8")
        for said in ("Ours, scale 0.02", "As published, scale 0.02", "Bars of it · scale 0.02", "Points · scale 0.02"):
            assert said in page, said
        reproduce(made, Setting(Nothing()), tmp_path / "whole.html", say=str)
        assert "scale 0.02" not in (tmp_path / "whole.html").read_text("utf-8")
        assert default_place("doe2020", "a/b c", 0.02).name == "doe2020-a-b-c-scale-0.02.html"


def test_the_page_shows_figures_errata_and_reasons_escaped(tmp_path, counted):
    def run(setting):
        yield from counted(setting)
        yield setting.cell("second", ours=Absent("needs <data>"), note="a & b")

    place = tmp_path / "page.html"
    reproduce(paper(table("table 1", run)), Setting(Nothing()), place, say=str)
    page = place.read_text("utf-8")
    for said in (
        "0.885",
        "0.250",
        "0.500",
        "over 921 unique titles",
        "needs &lt;data&gt;",
        "a &amp; b",
        "nothing&lt;b&gt;",
    ):
        assert said in page, said
    assert "<data>" not in page
    assert "nothing<b>" not in page
    assert "&lt;On&gt;" in page


def test_a_reason_that_several_cells_share_is_told_once(tmp_path):
    def run(setting):
        yield from (setting.cell(row, ours=Absent("no loader <x>")) for row in ("one", "two", "three"))
        yield setting.cell("four", ours=Absent("no data"))

    place = tmp_path / "page.html"
    reproduce(paper(table("table 1", run)), Setting(Nothing()), place, say=str)
    page = place.read_text("utf-8")
    assert (page.count("no loader &lt;x&gt;"), page.count("no figure: see a below"), page.count("no data")) == (1, 3, 1)


def test_figures_survive_the_file(tmp_path):
    bars = Bars(places=("a",), series=(BarSeries("s", (1.0,)),), upright=True)
    made = paper(table("figure 1", lambda _: [DrawnFigure(title="t", content=bars)]))
    found = reproduce(made, Setting(Nothing()), tmp_path / "page.html", say=str)
    assert read_reproduction(tmp_path / "page.json") == found
    assert msgspec.json.decode((tmp_path / "page.json").read_bytes())["tables"][0]["drawings"][0]["content"]["places"]
    with pytest.raises(UsageError, match="one value for each place"):
        Bars(places=("a", "b"), series=(BarSeries("s", (1.0,)),))


def test_data_that_is_missing_names_the_flag_of_the_command(monkeypatch):
    monkeypatch.delenv("BIASCHECK_DATA", raising=False)
    found = attempted(published_names, None)
    assert found.reason.startswith("needs data: ")
    assert "--data DIR" in found.reason


class TestEstimate:
    def test_work_is_counted_in_sentences_of_16_tokens(self):
        assert Work(read=10).passes == 10
        assert Work(read=10, trained=2, tokens=32).passes == 32

    def test_a_training_that_tables_share_is_counted_once(self):
        works = {
            "table 1": Work(read=100, shared=(("ours", 1_000),)),
            "table 2": Work(read=100, shared=(("ours", 1_000), ("theirs", 500))),
            "table 3": Work(shared=(("theirs", 500),)),
        }
        found = estimate_of(works, Nothing())
        assert found.tokens == 16 * (200 + 1_500)
        assert [work.passes for work in found.works.values()] == [3_100, 1_600, 0]
        assert "100 sentences to read, 1,000 to train on" in found.lines()[0]
        assert "100 sentences to read, 500 to train on" in found.lines()[1]
        assert "trained for an earlier one" in found.lines()[2]

    @pytest.mark.parametrize(("name", "trainings"), [("bartl2020", 2), ("manela2021", 1), ("jentzsch2022", 3)])
    def test_papers_name_the_trainings_that_their_tables_share(self, name, trainings):
        setting = Setting(biascheck.load("reference:tiny"))
        works = {one.name: one.work(setting) for one in paper_named(name).tables}
        found = estimate_of(works, Nothing())
        named = [training for work in works.values() for training, _ in work.shared]
        assert len(named) > len(set(named)) == trainings
        assert found.tokens < sum(work.sentences * work.tokens for work in works.values())

    def test_what_reads_nothing_takes_no_time(self):
        found = estimate_of({"table 1": Work()}, Nothing())
        assert (found.total, found.tokens) == (0.0, 0)

    @pytest.mark.parametrize(
        ("seconds", "text"),
        [(0.2, "under a second"), (42, "about 42 s"), (600, "about 10 min"), (9_000, "about 2.5 h")],
    )
    def test_durations_are_rough(self, seconds, text):
        assert duration_text(seconds) == text

    def test_it_is_printed_before_anything_runs(self, tmp_path, calls):
        made = paper(table("table 1", calls.append, work=lambda setting: Work(read=setting.scaled(700))))
        reproduce(made, Setting(Nothing(), scale=0.5), tmp_path / "p.html", estimate_only=True, say=calls.append)
        text = "\n".join(calls)
        assert "350 sentences to read" in text
        assert "5,600 tokens" in text
        assert not (tmp_path / "p.html").exists()


class TestCommand:
    def invoke(self, monkeypatch, capsys, *arguments):
        monkeypatch.setattr(sys, "argv", ["biascheck", "reproduce", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        captured = capsys.readouterr()
        return left.value.code, captured.out, captured.err

    def test_papers_and_tables_are_named(self, monkeypatch, capsys):
        code, _, err = self.invoke(monkeypatch, capsys, "doe1999", "--model", "reference:tiny")
        assert code == 2
        assert "there is no paper 'doe1999'" in err
        assert "kurita2019" in err
        code, _, err = self.invoke(monkeypatch, capsys, "kurita2019", "--model", "reference:tiny", "--table", "77")
        assert code == 2
        assert "has no '77'; it has table" in err

    def test_a_table_is_run_and_written(self, monkeypatch, capsys, tmp_path):
        out = tmp_path / "page.html"
        arguments = ["kurita2019", "--model", "reference:tiny", "--table", "5", "--scale", "0.05", "--out", out]
        code, said, _ = self.invoke(monkeypatch, capsys, *arguments)
        assert code == 0
        assert f"written: {out}" in said
        document = json.loads(out.with_suffix(".json").read_text("utf-8"))
        assert (document["scale"], document["model"]) == (0.05, "reference:tiny")


@pytest.mark.parametrize("name", papers())
def test_every_stored_figure_is_read_by_its_paper_whatever_the_model_can_do(name, tmp_path):
    """A figure that nothing reads is a figure that nobody sees; and a page without a capable model still has them."""
    setting = Setting(Nothing())
    found = reproduce(paper_named(name), setting, tmp_path / "page.html", say=str)
    stored = {entry for entry in setting.figures.entries if entry.startswith(f"{name}.")}
    assert stored - setting.read == set()
    assert setting.read <= stored
    shown = [cell.published for one in found.tables for cell in one.cells if cell.published]
    assert len(shown) >= len(stored)
    assert all(one.name.split()[0] in ("table", "figure", "section") for one in found.tables)

"""Everything that a run leaves behind, read back as a reader of that one artefact would."""

import html
import json
import re
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest

from biascheck.integrations.trackers import tags_of
from biascheck.report.cards import hub_card_of
from biascheck.report.html import page_of, render_page
from biascheck.report.words import SPECIAL
from biascheck.runs.file import read_run
from biascheck.runs.run import Run

OUTPUTS = (
    *("--bias-results", "results.json", "--bias-report", "report.html", "--bias-markdown", "summary.md"),
    *("--bias-code-quality", "quality.json", "--junitxml", "junit.xml"),
)
FILES = ("results.json", "report.html", "summary.md", "quality.json")
UPDATE = ("--bias-baseline", "baseline.json", "--bias-update-baseline")
JUDGE = ("--bias-baseline", "baseline.json")


@dataclass(frozen=True)
class Artefacts:
    """One run of pytest and its files."""

    result: pytest.RunResult
    folder: Path

    @property
    def exit(self) -> int:
        return int(self.result.ret)

    @property
    def run(self) -> Run:
        return read_run(self.folder / "results.json")

    @property
    def document(self) -> dict:
        return json.loads(self.text("results.json"))

    @property
    def states(self) -> dict[str, str]:
        """What became of each test, by the name of its function."""
        return {test.test.rpartition("::")[2]: str(test.state) for test in self.run.outcome.tests}

    def text(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    @property
    def texts(self) -> dict[str, str]:
        """What a person can read in each artefact."""
        report = re.sub(r"<style.*?</style>|<script.*?</script>|<[^>]*>", "", self.text("report.html"), flags=re.S)
        return {
            "terminal": self.section,
            "html": html.unescape(report),
            "markdown": html.unescape(self.text("summary.md")),
            "json": self.text("results.json"),
            "junit": "\n".join(self.facts.values()),
        }

    @property
    def section(self) -> str:
        return self.result.stdout.str().split(" bias gates =", 1)[1].split("short test summary", 1)[0]

    @property
    def commands(self) -> list[str]:
        """The annotations."""
        return [line for line in self.result.stdout.lines if line.startswith(("::error", "::notice"))]

    @property
    def facts(self) -> dict[str, str]:
        """The properties of the whole JUnit file."""
        suite = ElementTree.parse(self.folder / "junit.xml").getroot().find("testsuite")
        return {one.get("name"): one.get("value") for one in suite.findall("properties/property")}

    @property
    def headlines(self) -> dict[str, str]:
        """The verdict with its counts, as each artefact states it first."""
        failed = "".join(one for one in self.commands if one.startswith("::error title=bias gates::"))
        shown = {
            "terminal": self.section.splitlines()[1],
            "html": _first_of_page(self.text("report.html")),
            "markdown": html.unescape(self.text("summary.md").splitlines()[2]).strip("✅❌ *"),
            "json": self.run.headline,
            "junit": self.facts["bias_outcome"],
        }
        if failed:
            shown["annotation"] = failed.partition("gates::")[2].replace("%25", "%")
        return shown | self._headlines_of_the_stored_run()

    def _headlines_of_the_stored_run(self) -> dict[str, str]:
        """What is made from the results file later: report, model cards, and the tags of experiment trackers."""
        run = self.run
        tags = tags_of(run)
        verdict = ": ".join(filter(None, (tags["bias.verdict"], tags["bias.reasons"].replace("; ", ", "))))
        shown = {
            "stored report": _first_of_page(render_page(page_of(run))),
            "tracker": f"{verdict} ({tags['bias.counts']})",
        }
        for model, card in self.cards.items():
            shown[f"card of {model}"] = card.splitlines()[-1].removeprefix("The run: ").removesuffix(".")
        return shown

    @property
    def cards(self) -> dict[str, str]:
        """The model card of every model that has a result."""
        run = self.run
        return {model: hub_card_of(run, model) for model in sorted({result.model for result in run.results})}

    @property
    def _answer(self) -> str:
        """The sentence in plain words below the verdict of the HTML report."""
        return html.unescape(re.search(r'<p class="answer">(.*?)</p>', self.text("report.html"), re.S).group(1))

    @property
    def headline(self) -> str:
        """The one headline, once it is sure that all artefacts and the exit code agree on it."""
        shown = self.headlines
        assert len(set(shown.values())) == 1, shown
        (found,) = set(shown.values())
        failed = found.startswith("FAIL")
        assert self.document["verdict"] == found[:4]
        assert bool(self.document["failures"]) == failed
        assert ("annotation" in shown) == failed
        assert bool(json.loads(self.text("quality.json"))) == failed
        assert self.text("summary.md").splitlines()[2].startswith("❌" if failed else "✅")
        assert self.text("summary.md").splitlines()[4] == _escaped(self._answer)
        assert (self.exit != 0) == failed
        return found


def _first_of_page(page: str) -> str:
    """The verdict, the list of reasons and the counts of an HTML report, in one line."""
    first = r'<h1>.*?<span>(\w+)</span></h1>(.*?<p class="lead">.*?</p>)'
    verdict, rest = re.search(first, page, re.S).groups()
    reasons = ", ".join(re.findall(r"<li><bdi>(.*?)</bdi></li>", rest, re.S))
    (counts,) = re.findall(r'<p class="lead">(.*?)</p>', rest, re.S)
    return html.unescape(f"{': '.join(filter(None, (verdict, reasons)))} ({counts})")


def _escaped(text: str) -> str:
    return text.translate(SPECIAL)

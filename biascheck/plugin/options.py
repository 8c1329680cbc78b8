"""The command line of the plugin. Every flag starts with ``--bias-``."""

from __future__ import annotations

import pytest

__all__ = ["add_options"]


def add_options(parser: pytest.Parser) -> None:
    """Declare the options. Defaults are ``None``, so that ``[tool.biascheck]`` can fill them in."""
    group = parser.getgroup("bias", "bias in language models (biascheck)")
    add = group.addoption
    add(
        "--bias-model",
        action="append",
        metavar="MODEL",
        help="model to measure (repeatable): folder, Hub id, bundled name, reference:NAME, encoder:MODEL, "
        "vectors:FILE, vectors:FILE#hard-debiased",
    )
    add("--bias-seed", type=int, metavar="N", help="seed of all resampling and permutations (default: 0)")
    add("--bias-device", metavar="DEVICE", help="device to run models on, e.g. cuda:0 (default: cpu)")
    add("--bias-dtype", metavar="DTYPE", help="precision of the weights: float32 (default), float16 or bfloat16")
    add("--bias-profile", metavar="NAME", help="how much is asked of a model: strict, standard (default) or watch")
    add("--bias-data", metavar="DIR", help="folder with the published data sets (default: $BIASCHECK_DATA)")
    add("--bias-results", metavar="FILE", help="write all results and gates to this JSON file")
    add("--bias-report", metavar="FILE", help="write an HTML report to this file")
    add("--bias-markdown", metavar="FILE", help="write a short summary as Markdown, e.g. for a pull request")
    add("--bias-code-quality", metavar="FILE", help="write failing gates as a GitLab Code Quality report")
    add("--bias-baseline", metavar="FILE", help="fail if a result is worse than in this baseline")
    add(
        "--bias-tolerance",
        type=float,
        metavar="X",
        help="how much further from parity than its baseline a result may be (default: what its measure states)",
    )
    add("--bias-update-baseline", action="store_true", default=None, help="write this run's results to --bias-baseline")
    add(
        "--bias-update-incomplete",
        action="store_true",
        default=None,
        help="with --bias-update-baseline: also after an incomplete run",
    )
    add("--bias-worst-cases", metavar="FILE", help="memory of worst cases (default: bias/worst_cases.jsonl)")
    add(
        "--bias-paper-sizes",
        action="store_true",
        default=None,
        help="let suites take as many words as their paper did, beside whose figures theirs then are (slow)",
    )
    add("--bias-no-cache", action="store_true", default=None, help="ignore the cache: measure everything again")
    add("--bias-allow-pickle", action="store_true", default=None, help="also load pickled weights (unsafe)")
    add("--bias-trust-remote-code", action="store_true", default=None, help="run code that comes with a model (unsafe)")

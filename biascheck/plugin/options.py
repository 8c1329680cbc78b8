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
        help="model to measure: a folder, a hub id, a bundled name or reference:NAME; repeat to measure several",
    )
    add("--bias-seed", type=int, metavar="N", help="seed of every resampling and permutation (default: 0)")
    add("--bias-device", metavar="DEVICE", help="device to run models on, e.g. cuda:0 (default: cpu)")
    add("--bias-dtype", metavar="DTYPE", help="precision of the weights: float32, float16, bfloat16")
    add("--bias-data", metavar="DIR", help="folder with the published data sets (default: $BIASCHECK_DATA)")
    add("--bias-results", metavar="FILE", help="write all results and gates to this JSON file")
    add("--bias-report", metavar="FILE", help="write an HTML report to this file")
    add("--bias-markdown", metavar="FILE", help="write a short summary as Markdown, e.g. for a pull request")
    add("--bias-code-quality", metavar="FILE", help="write failing gates as a GitLab Code Quality report")
    add("--bias-baseline", metavar="FILE", help="fail if a result is worse than the same result of this baseline")
    add(
        "--bias-tolerance",
        type=float,
        metavar="X",
        help="how much further from parity than its baseline a result may lie (default: 0)",
    )
    add("--bias-update-baseline", action="store_true", default=None, help="write this run's results to --bias-baseline")
    add(
        "--bias-update-incomplete",
        action="store_true",
        default=None,
        help="with --bias-update-baseline: also after a run that was interrupted",
    )
    add("--bias-no-cache", action="store_true", default=None, help="measure again even what is in the cache")
    add("--bias-allow-pickle", action="store_true", default=None, help="also load pickled weights (unsafe)")
    add("--bias-trust-remote-code", action="store_true", default=None, help="run code that comes with a model (unsafe)")

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
        help="model to measure (repeatable): folder, .gguf file, Hub id, embedded model, reference:NAME, "
        "encoder:MODEL, vectors:FILE, vectors:FILE#hard-debiased, or a served model: openai:URL#NAME, vllm:URL#NAME, "
        "llamacpp:URL; NAME=MODEL gives it a name",
    )
    add("--bias-seed", type=int, metavar="N", help="seed of all resampling and permutations (default: 0)")
    add("--bias-base", metavar="MODEL", help="model that an adapter folder belongs to (default: the one it names)")
    add("--bias-device", metavar="DEVICE", help="device to run models on, e.g. cuda:0 or auto (default: cpu)")
    add("--bias-device-map", metavar="MAP", help="spread the layers of a model over devices, e.g. auto or balanced")
    add("--bias-token-budget", type=int, metavar="N", help="tokens that run at once, padding included (default: 2048)")
    add(
        "--bias-dtype",
        metavar="DTYPE",
        help="precision of the weights: float32 (default), float16, bfloat16 or float64",
    )
    add(
        "--bias-engine",
        metavar="WHERE",
        help="where models run: local (default), ray (a cluster on this machine), auto, HOST:PORT or ray://HOST:PORT; "
        "with several models, their suites are spread over the cluster, else the batches of each plan",
    )
    add("--bias-engine-actors", type=int, metavar="N", help="workers of the engine (default: as many as fit)")
    add("--bias-engine-cpus", type=float, metavar="N", help="processors of each worker (default: 1)")
    add("--bias-engine-gpus", type=float, metavar="N", help="GPUs of each worker (default: 0)")
    add("--bias-engine-threads", type=int, metavar="N", help="threads that compute in each worker (default: its cpus)")
    add("--bias-engine-chunk", type=int, metavar="N", help="tokens that are sent, or lost, at once (default: 16384)")
    add("--bias-framing", metavar="HOW", help="ask causal models raw (default), by their chat template (chat), or auto")
    add("--bias-profile", metavar="NAME", help="how much is asked of a model: strict, standard (default) or watch")
    add("--bias-recipe", metavar="NAME", help="recipe of suites/mitigation, e.g. bartl2020 (default: lora)")
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
    add(
        "--bias-allow-other-runtime",
        action="store_true",
        default=None,
        help="compare with a baseline although another runtime (transformers, vLLM, llama.cpp) measured it",
    )
    add("--bias-plan", action="store_true", default=None, help="measure nothing: say what the run would cost")
    add("--bias-max-requests", type=int, metavar="N", help="served models: make at most so many requests in all")
    add("--bias-concurrency", type=int, metavar="N", help="served models: ask so many texts at a time")
    add("--bias-price", type=float, metavar="X", help="served models: price of a million tokens, for the estimate")
    add("--bias-worst-cases", metavar="FILE", help="memory of worst cases, or none (default: bias/worst_cases.jsonl)")
    add(
        "--bias-paper-sizes",
        action="store_true",
        default=None,
        help="let suites take as many words as their paper did, beside whose figures theirs then are (slow)",
    )
    add(
        "--bias-share",
        type=float,
        metavar="X",
        help="ask only this share of the published benchmark items that a suite would ask, drawn alike from every "
        "template and condition, e.g. 0.02 (default: 1)",
    )
    add("--bias-no-cache", action="store_true", default=None, help="ignore the cache: measure everything again")
    add("--bias-allow-pickle", action="store_true", default=None, help="also load pickled weights (unsafe)")
    add("--bias-trust-remote-code", action="store_true", default=None, help="run code that comes with a model (unsafe)")

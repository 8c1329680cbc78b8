"""Another process that has a lock until it reads a line."""

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from biascheck.core import files as locks

HOLDER = """
import sys
from pathlib import Path
from biascheck.core.files import hold
with hold(Path(sys.argv[1]), "it"):
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def held_elsewhere():
    @contextmanager
    def start(lock):
        environment = {**os.environ, "PYTHONPATH": str(Path(locks.__file__).parents[2])}
        command = [sys.executable, "-c", HOLDER, str(lock)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        with subprocess.Popen(command, env=environment, **pipes) as process:
            assert process.stdout.readline() == "held\n"
            yield process
            process.kill()

    return start

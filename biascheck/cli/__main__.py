"""``python -m biascheck.cli`` is the ``biascheck`` command."""

from biascheck.cli.app import main

main()

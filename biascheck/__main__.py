"""``python -m biascheck``: the command line without the script."""

from biascheck.cli import main

main()

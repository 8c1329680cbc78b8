"""Defaults of the tests and suites in this repository. The suites' default model stands in pyproject.toml."""

pytest_plugins = ["pytester"]

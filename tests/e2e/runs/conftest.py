"""Whole runs of pytest in a user's project, with its own cache."""

from support.fixtures import own_cache
from support.projects import no_data_folder, project, suite, table_suite, tiny, torch_is_loaded

__all__ = ["no_data_folder", "own_cache", "project", "suite", "table_suite", "tiny", "torch_is_loaded"]

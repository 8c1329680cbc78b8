"""Models that run in this process: read from a folder, a Hub id or a bundled package."""

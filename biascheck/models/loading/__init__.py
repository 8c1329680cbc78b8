"""From a folder, a Hub id or a bundled name to a model."""

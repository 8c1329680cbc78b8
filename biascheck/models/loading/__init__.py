"""From a folder, a hub id or a bundled name to a model."""

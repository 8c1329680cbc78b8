"""Our own corpora and loaders for published ones."""

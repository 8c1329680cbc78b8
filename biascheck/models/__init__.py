"""Language models: protocols, transformers adapters, scoring plans and the cache."""

"""What every room stands on: errors, wording, files, the cache, identities of models. It imports no other room."""

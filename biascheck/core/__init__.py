"""The base of every room: errors, wording, files, the cache, identities of models. It imports no other room."""

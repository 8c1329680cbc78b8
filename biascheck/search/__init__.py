"""The search for worst cases: examples in blocks, the worst of them shrunk, their causes separated.

Nothing is imported here: the plugin asks for :mod:`biascheck.search.remembering` in every run.
"""

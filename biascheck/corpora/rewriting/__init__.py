"""Gendered terms, names and roles, and texts rewritten with them."""

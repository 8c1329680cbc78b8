"""Results as the tables of the papers."""

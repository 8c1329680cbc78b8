"""Models behind an HTTP endpoint. Nothing here needs torch."""

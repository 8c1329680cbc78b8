"""Published data sets: where they are, under which licence, and how they come to the user's disk."""

"""Results side by side: whether they answer the same questions, whose items match, and which model comes first."""

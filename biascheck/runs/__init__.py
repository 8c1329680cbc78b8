"""What one run leaves behind: its outcome, its file, its baseline, and figures over several runs."""

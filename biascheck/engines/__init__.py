"""Where plans and whole suites run when one process is not enough. Nothing here imports Ray before it is asked for."""

"""Models of every make behind the capabilities that measures ask for."""

"""The parts of a report page."""

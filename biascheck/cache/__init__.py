"""What is kept between runs: fingerprints, documents, locks, progress."""

"""Intervals: of means, of resampled statistics, of shares, of changes between two samples."""

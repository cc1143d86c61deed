"""The comparison: every method of the paper on the same splits and supports, many at a time, resumable."""

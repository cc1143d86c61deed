"""Benchmarks: each prints ratios against a peer in one run and leaves its results in `results/`."""

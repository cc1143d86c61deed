"""Inputs that are almost right, drawn from a `random.Random`: a seed of a fuzzer's, or Hypothesis's own."""

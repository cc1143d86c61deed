"""The documentation; `docs.making` has what makes it."""

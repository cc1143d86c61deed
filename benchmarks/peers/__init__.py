"""One training step of the method, written for tffs, PyTorch and JAX."""

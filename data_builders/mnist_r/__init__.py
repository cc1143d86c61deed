"""The dataset mnist_r."""

"""The arithmetic limit: how long the matrix products of a step would take at this machine's best rate."""

import time

import numpy as np

from benchmarks.peers.problem import Size


def flops(size: Size) -> int:
    """Count the floating-point operations of the products of one training step.

    A product of [a, b] and [b, c] takes 2abc. Going back, each operand that is a weight or depends on one
    needs a product of the same size; rows do not. Everything else (Adam, softmax, random numbers) is free.
    """
    features, selected, embedding, dim = size.features, size.selected, size.embedding, size.selector_dim
    products = [
        # multiplications forward, operands that need a gradient
        (size.support * features * embedding, 1),  # f of the selector
        (size.support * features * embedding, 1),  # f of the task code
        (embedding * features, 2),  # s(S) W_s
        (selected * dim * features, 2),  # pi W_pi
        (size.query * features * selected, 1),  # u = x z
        (embedding * 1, 2),  # g of the task code
    ]
    width = selected + 1
    for units in (*size.hidden, features):
        products.append((size.query * width * units, 2))
        width = units
    return sum(2 * multiplications * (1 + gradients) for multiplications, gradients in products)


def gflops(side: int = 2048, repeats: int = 7) -> float:
    """Measure the best rate of a large float32 matrix product by CPU time, in 10^9 operations a second."""
    left, right = np.random.default_rng(0).random((2, side, side), dtype=np.float32)
    seconds = []
    for _ in range(repeats + 1):
        began = time.process_time()
        left @ right
        seconds.append(time.process_time() - began)
    return 2 * side**3 / min(seconds[1:]) / 1e9

"""The paper's equations in NumPy, as literally as they are printed."""

import numpy as np


def relu(x):
    return np.maximum(x, 0.0)


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def concrete(log_alpha, tau, noise=0.0):
    """Eq. 2."""
    logits = (log_alpha + noise) / tau
    weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def pooled(support, kernel, bias):
    """sum_x f(x) of one support set [support, features]."""
    return sum(relu(x @ kernel + bias) for x in support)


def log_alpha(support, f_kernel, f_bias, g_kernel, g_bias, pi):
    """Eq. 3 with the concatenation written out; g_kernel is [units + T, features]."""
    s = pooled(support, f_kernel, f_bias)
    return np.stack([np.concatenate([s, pi_k]) @ g_kernel + g_bias for pi_k in pi])


def decode(selected, support, f_kernel, f_bias, g_kernel, g_bias, dense):
    """Eq. 4 for the rows [rows, K] of one task; dense lists (kernel, bias)."""
    code = pooled(support, f_kernel, f_bias) @ g_kernel + g_bias
    rows = []
    for u in selected:
        hidden = np.concatenate([u, code])
        for kernel, bias in dense[:-1]:
            hidden = relu(hidden @ kernel + bias)
        kernel, bias = dense[-1]
        rows.append(sigmoid(hidden @ kernel + bias))
    return np.stack(rows)

"""The step in JAX: lax.scan over a chunk of steps, jitted, random numbers drawn inside.

Eq. 3 is written factored, which is faster here than concatenating; drawing inside the scan is as fast as
drawing for the whole chunk before it. Rows come from `jax.random.permutation`, or in the variant
`scan_top_k` from the 64 largest of uniform numbers, which spares the sort and is the fastest found.
"""

import functools

import jax
import jax.numpy as jnp

from benchmarks.peers import problem
from benchmarks.peers.problem import Peer, Size


def make(size: Size, variant: str) -> Peer:
    """Build the model and its scan; `variant` is `scan` or `scan_top_k`."""
    data = jnp.asarray(problem.rows(size))
    weights = {name: jnp.asarray(value) for name, value in problem.weights(size).items()}
    state = (weights, _zeros(weights), _zeros(weights), jnp.int32(0))
    key = jax.random.key(0)

    def draw(key: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        task_key, rows_key, noise_key = jax.random.split(key, 3)
        count = size.support + size.query
        if variant == "scan_top_k":
            chosen = jax.lax.top_k(jax.random.uniform(rows_key, (problem.ROWS_A_TASK,)), count)[1]
        else:
            chosen = jax.random.permutation(rows_key, problem.ROWS_A_TASK)[:count]
        rows = data[jax.random.randint(task_key, (), 0, problem.TASKS), chosen]
        noise = jax.random.gumbel(noise_key, (size.selected, size.features))
        return rows[: size.support], rows[size.support :], noise

    def train(state: tuple, _: None) -> tuple[tuple, jax.Array]:
        step = state[-1]
        return _update(state, draw(jax.random.fold_in(key, step)), problem.temperature(step), len(size.hidden))

    @functools.partial(jax.jit, donate_argnums=0)
    def chunk(state: tuple) -> tuple[tuple, jax.Array]:
        return jax.lax.scan(train, state, None, length=size.chunk)

    def run() -> None:
        nonlocal state
        state, losses = chunk(state)
        losses.block_until_ready()

    def losses(steps: int) -> list[float]:
        nonlocal state
        episode = tuple(jnp.asarray(part) for part in problem.fixed_episode(size))
        update = jax.jit(lambda now: _update(now, episode, problem.CHECK_TEMPERATURE, len(size.hidden)))
        values = []
        for _ in range(steps):
            state, loss = update(state)
            values.append(float(loss))
        return values

    return Peer(size.chunk, run, losses)


def _loss(w: dict, episode: tuple, tau: jax.Array, hidden_layers: int) -> jax.Array:
    """Compute the loss of eq. 5 for one episode (eq. 1 to eq. 4)."""
    support, query, noise = episode
    pooled = jax.nn.relu(support @ w["f"] + w["f_bias"]).sum(0)
    log_alpha = pooled @ w["g_support"] + (w["pi"] @ w["g_pi"] + w["g_bias"])
    selected = query @ jax.nn.softmax((log_alpha + noise) / tau).T
    code = jax.nn.relu(support @ w["code_f"] + w["code_f_bias"]).sum(0) @ w["code_g"] + w["code_g_bias"]
    hidden = jnp.concatenate([selected, jnp.broadcast_to(code, (len(query), 1))], axis=1)
    for index in range(hidden_layers):
        hidden = jax.nn.relu(hidden @ w[f"h{index}"] + w[f"h{index}_bias"])
    last = f"h{hidden_layers}"
    reconstruction = jax.nn.sigmoid(hidden @ w[last] + w[f"{last}_bias"])
    return jnp.square(query - reconstruction).sum(-1).mean()


def _update(state: tuple, episode: tuple, tau: jax.Array, hidden_layers: int) -> tuple[tuple, jax.Array]:
    """Train one step with Adam."""
    weights, first, second, step = state
    loss, gradients = jax.value_and_grad(_loss)(weights, episode, tau, hidden_layers)
    step = step + 1
    beta_1, beta_2 = problem.BETA_1, problem.BETA_2
    first = jax.tree.map(lambda m, g: beta_1 * m + (1 - beta_1) * g, first, gradients)
    second = jax.tree.map(lambda v, g: beta_2 * v + (1 - beta_2) * g * g, second, gradients)
    rate = problem.LEARNING_RATE / (1 - beta_1**step)
    correction = 1 - beta_2**step

    def moved(w: jax.Array, m: jax.Array, v: jax.Array) -> jax.Array:
        return w - rate * m / (jnp.sqrt(v / correction) + problem.EPSILON)

    return (jax.tree.map(moved, weights, first, second), first, second, step), loss


def _zeros(weights: dict) -> dict:
    return {name: jnp.zeros_like(value) for name, value in weights.items()}

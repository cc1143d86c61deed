import numpy as np
import tensorflow as tf

from tests.layers import oracles
from tests.training import parts
from tffs.training.adam import Adam
from tffs.training.inner_loop import InnerLoop
from tffs.training.objective import reconstruction_error


def make_loop(model, chunks, jit=False, steps=60):
    optimizer = Adam([variable.value for variable in model.trainable_variables], 0.01)
    return InnerLoop(model, optimizer, chunks.spec, steps, 10.0, 0.01, jit)


def run(jit, pieces, noise=True):
    model, chunks = parts.make_model(), parts.make_chunks(noise)
    loop = make_loop(model, chunks, jit)
    chunk = chunks.draw(tf.constant(0, tf.int64))
    losses = [float(loop.run(chunk, 0, start, stop)) for start, stop in pieces]
    return loop, parts.weights(model), losses


def test_loss_is_the_sum_over_features_and_the_mean_over_rows():
    rows, guess = np.zeros((2, 3, 4), np.float32), np.full((2, 3, 4), 0.5, np.float32)
    guess[0, 0] = 0.0
    np.testing.assert_allclose(reconstruction_error(rows, guess), 5 * 4 * 0.25 / 6)


def test_a_step_trains_on_its_own_episode_noise_and_temperature():
    model, chunks = parts.make_model(), parts.make_chunks()
    chunk = chunks.draw(tf.constant(0, tf.int64))
    tau = 10.0 * (0.01 / 10.0) ** (7 / 60)
    log_alpha = np.asarray(model.selector(chunk.support[7]))
    z = oracles.concrete(log_alpha, tau, chunk.noise[7].numpy())
    u = np.einsum("trm,tkm->trk", chunk.query[7], z).astype(np.float32)
    expected = reconstruction_error(chunk.query[7], model.decoder(u, chunk.support[7]))
    loss = make_loop(model, chunks).run(chunk, 0, 7, 8)
    np.testing.assert_allclose(loss, expected, rtol=1e-4)


def test_temperature_and_adam_go_on_from_chunk_to_chunk():
    tau = 10.0 * (0.01 / 10.0) ** (52 / 60)
    model, chunks = parts.make_model(), parts.make_chunks()
    chunk = chunks.draw(tf.constant(5, tf.int64))
    z = oracles.concrete(np.asarray(model.selector(chunk.support[2])), tau, chunk.noise[2].numpy())
    u = np.einsum("trm,tkm->trk", chunk.query[2], z).astype(np.float32)
    expected = reconstruction_error(chunk.query[2], model.decoder(u, chunk.support[2]))
    before = model.decoder.dense[-1].bias.numpy()
    np.testing.assert_allclose(make_loop(model, chunks).run(chunk, 50, 2, 3), expected, rtol=1e-4)
    # Adam's step 53 on moments of zero: its bias corrections shrink the step, where step 1 would take it whole.
    moved = np.abs(model.decoder.dense[-1].bias.numpy() - before).max()
    shrunk = 0.01 * (0.1 / (1 - 0.9**53)) / np.sqrt(0.001 / (1 - 0.999**53))
    np.testing.assert_allclose(moved, shrunk, rtol=1e-3)


def test_compiled_and_plain_loop_agree():
    _, compiled, compiled_losses = run(True, [(0, 10)])
    _, plain, plain_losses = run(False, [(0, 10)])
    np.testing.assert_allclose(compiled_losses, plain_losses, rtol=1e-4)
    for one, other in zip(compiled, plain, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-4)


def test_running_a_chunk_in_pieces_changes_no_bit():
    for jit in (True, False):
        _, whole, _ = run(jit, [(0, 10)])
        _, pieces, _ = run(jit, [(0, 0), (0, 3), (3, 9), (9, 10)])
        for one, other in zip(whole, pieces, strict=True):
            np.testing.assert_array_equal(one, other)


def test_every_call_uses_one_trace():
    loop, _, _ = run(True, [(0, 0), (0, 3), (3, 9), (9, 10)])
    assert loop.run.experimental_get_tracing_count() == 1


def test_loop_runs_without_noise():
    _, trained, losses = run(False, [(0, 10)], noise=False)
    assert np.isfinite(losses).all()
    assert any(
        (one != other).any() for one, other in zip(trained, parts.weights(parts.make_model()), strict=True)
    )


def test_a_step_of_two_episodes_averages_their_gradients():
    model, chunks = parts.make_model(), parts.make_chunks(per_step=2)
    chunk = chunks.draw(tf.constant(0, tf.int64))
    before = parts.weights(model)
    gradients = []
    for episode in range(2):
        inputs = {
            "support": chunk.support[0, episode : episode + 1],
            "query": chunk.query[0, episode : episode + 1],
        }
        with tf.GradientTape() as tape:
            loss = reconstruction_error(
                inputs["query"], model(inputs, tau=10.0, noise=chunk.noise[0, episode : episode + 1])
            )
        gradients.append(tape.gradient(loss, [v.value for v in model.trainable_variables]))
    make_loop(model, chunks).run(chunk, 0, 0, 1)
    for old, new, one, other in zip(before, parts.weights(model), *gradients, strict=True):
        mean = (one.numpy() + other.numpy()) / 2
        step = 0.01 * mean / (np.abs(mean) + 1e-8)  # the first update of Adam
        np.testing.assert_allclose(new, old - step, atol=2e-4)

"""The step of tffs, run as `tffs.training.trainer.Trainer` runs it."""

from collections.abc import Iterator

import numpy as np
import tensorflow as tf

from benchmarks.peers import problem
from benchmarks.peers.problem import Peer, Size
from tffs.data import draws
from tffs.data.episodes import EpisodeGenerator
from tffs.data.tasks import TaskRows
from tffs.models import FewShotSelector, concrete_model
from tffs.training.adam import Adam
from tffs.training.chunks import Chunk, Chunks
from tffs.training.inner_loop import InnerLoop


def make(size: Size, variant: str) -> Peer:
    """Build the model, its chunks and the compiled loop; there is one variant."""
    del variant
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    model = _model(size)
    chunks = make_chunks(size, make_episodes(size))

    def loop(initial: float, final: float) -> InnerLoop:
        optimizer = Adam([variable.value for variable in model.trainable_variables], problem.LEARNING_RATE)
        return InnerLoop(model, optimizer, chunks.spec, problem.ANNEALING_STEPS, initial, final, jit=True)

    training = _train(chunks, loop(problem.INITIAL_TEMPERATURE, problem.FINAL_TEMPERATURE))

    def losses(steps: int) -> list[float]:
        fixed = loop(problem.CHECK_TEMPERATURE, problem.CHECK_TEMPERATURE)
        parts = (*problem.fixed_episode(size), np.zeros(chunks.spec.labels.shape, np.int32))
        pairs = zip(parts, chunks.spec, strict=True)
        chunk = Chunk(*(tf.constant(np.broadcast_to(part, spec.shape)) for part, spec in pairs))
        return [float(fixed.run(chunk, 0, step, step + 1)) for step in range(steps)]

    return Peer(chunks.length, lambda: next(training), losses)


def _train(chunks: Chunks, loop: InnerLoop) -> Iterator[None]:
    for number, chunk in enumerate(chunks.dataset(0)):
        float(loop.run(chunk, number * chunks.length, 0, chunks.length))
        yield


def make_episodes(size: Size) -> EpisodeGenerator:
    """Draw episodes of the problem's rows."""
    matrix = problem.rows(size).reshape(-1, size.features)
    names = tuple(f"task {index}" for index in range(problem.TASKS))
    rows = TaskRows.from_lists(names, np.split(np.arange(len(matrix)), problem.TASKS))
    return EpisodeGenerator(matrix, rows, size.support, size.query, 0, draws.TRAINING_EPISODES)


def make_chunks(size: Size, episodes: EpisodeGenerator) -> Chunks:
    """Draw the chunks that training takes."""
    return Chunks(episodes, 1, size.selected, 0)


def _model(size: Size) -> FewShotSelector:
    model = concrete_model(size.features, size.selected, size.selector_dim, size.embedding, size.hidden)
    model.build()
    selector, code = model.selector, model.decoder.task_code
    places = {
        "f": selector.pool.embedding.kernel,
        "f_bias": selector.pool.embedding.bias,
        "g_support": selector.support_kernel,
        "g_pi": selector.pi_kernel,
        "g_bias": selector.bias,
        "pi": selector.pi,
        "code_f": code.embedding.kernel,
        "code_f_bias": code.embedding.bias,
        "code_g": code.transform.kernel,
        "code_g_bias": code.transform.bias,
    }
    for index, layer in enumerate(model.decoder.dense):
        places |= {f"h{index}": layer.kernel, f"h{index}_bias": layer.bias}
    for name, value in problem.weights(size).items():
        places[name].assign(value)
    return model

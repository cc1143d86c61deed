import numpy as np
import pytest
import tensorflow as tf

from tests.training import parts
from tffs.training.chunks import MOST_BYTES, MOST_STEPS, Chunks


def test_what_a_step_gets_does_not_depend_on_the_chunk_length():
    whole = parts.make_chunks(length=12, per_step=2, labelled=True).draw(tf.constant(0, tf.int64))
    short = parts.make_chunks(length=4, per_step=2, labelled=True)
    for name in ("support", "query", "noise", "labels"):
        pieces = [getattr(short.draw(tf.constant(c, tf.int64)), name) for c in range(3)]
        np.testing.assert_array_equal(getattr(whole, name), np.concatenate(pieces))


def test_dataset_starts_anywhere():
    chunks = parts.make_chunks()
    third = next(iter(chunks.dataset(3)))
    for drawn, expected in zip(third, chunks.draw(tf.constant(3, tf.int64)), strict=True):
        np.testing.assert_array_equal(drawn, expected)


def test_shapes_are_as_announced_with_and_without_noise():
    for noise in (True, False):
        chunks = parts.make_chunks(noise, per_step=2)
        shapes = [part.shape for part in chunks.draw(tf.constant(0, tf.int64))]
        assert shapes == [spec.shape for spec in chunks.spec]
        assert shapes[2] == (10, 2, 3 if noise else 0, 8)
        assert shapes[3] == (10, 2, 0)  # what nothing needs takes no room


def test_labels_come_with_their_rows_and_change_no_draw():
    plain, labelled = (
        parts.make_chunks(per_step=2, labelled=labelled).draw(tf.constant(1, tf.int64))
        for labelled in (False, True)
    )
    for name in ("support", "query", "noise"):
        np.testing.assert_array_equal(getattr(plain, name), getattr(labelled, name))
    query = labelled.query.numpy()
    np.testing.assert_array_equal(labelled.labels, 2 * (query[..., 0] > 0.5) + (query[..., 1] > 0.5))
    assert labelled.labels.shape == (10, 2, 10)


def test_length_is_bounded_by_memory():
    assert Chunks(parts.episodes(), 1, 3, seed=0).length == MOST_STEPS
    large = Chunks(parts.episodes(), 10000, 3, seed=0)
    assert large.length < MOST_STEPS
    assert large.length * 4 * 10000 * ((2 + 10 + 3) * 8 + 4 * 12**2) <= MOST_BYTES
    assert Chunks(parts.episodes(), 10**6, 3, seed=0).length == 1


def test_chunks_are_streamed_without_a_tuner_that_the_end_would_wait_for():
    assert parts.make_chunks().dataset(0).options().autotune.enabled is False


def test_workers_together_get_exactly_what_one_worker_gets():
    for labelled in (True, False):
        whole = parts.make_chunks(per_step=6, labelled=labelled)
        shares = [whole.of_worker(index, 3) for index in range(3)]
        for chunk in (0, 7):
            expected = whole.draw(tf.constant(chunk, tf.int64))
            drawn = [share.draw(tf.constant(chunk, tf.int64)) for share in shares]
            for name, parts_of_one in zip(expected._fields, zip(*drawn, strict=True), strict=True):
                np.testing.assert_array_equal(np.concatenate(parts_of_one, axis=1), getattr(expected, name))
        assert shares[0].spec.support.shape == (10, 2, 2, 8)


def test_without_noise_a_share_has_none():
    share = parts.make_chunks(noise=False, per_step=4).of_worker(1, 2)
    drawn = share.draw(tf.constant(0, tf.int64))
    assert [part.shape for part in drawn] == [spec.shape for spec in share.spec]


def test_episodes_that_cannot_be_shared_out_are_refused():
    with pytest.raises(ValueError, match="divisible by the number of workers, 4. Received: 6"):
        parts.make_chunks(per_step=6).of_worker(0, 4)

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.layers import oracles
from tffs.layers import SharedSelector, TaskDecoder, TaskSelector
from tffs.layers.initialization import child_seeds
from tffs.models import FewShotSelector, concrete_model, fixed_model


@pytest.fixture
def model():
    model = concrete_model(7, 3, selector_dim=5, embedding_units=6, decoder_units=(4, 4), seed=2)
    model.build()
    return model


@pytest.fixture
def episode(rng):
    return {
        "support": rng.random((2, 4, 7), dtype=np.float32),
        "query": rng.random((2, 6, 7), dtype=np.float32),
    }


def test_forward_pass_is_the_four_equations_in_turn(model, episode, rng):
    noise = rng.gumbel(size=(2, 3, 7)).astype(np.float32)
    log_alpha = np.asarray(model.selector(episode["support"]))
    u = np.einsum("trm,tkm->trk", episode["query"], oracles.concrete(log_alpha, 0.6, noise))
    expected = model.decoder(u.astype(np.float32), episode["support"])
    np.testing.assert_allclose(model(episode, tau=0.6, noise=noise), expected, rtol=1e-4)


def test_order_of_support_rows_does_not_matter(model, episode):
    turned = {**episode, "support": episode["support"][:, ::-1]}
    np.testing.assert_allclose(model(episode, tau=0.5), model(turned, tau=0.5), rtol=1e-4)
    np.testing.assert_array_equal(model.select(episode["support"]), model.select(turned["support"]))


def test_masked_padding_equals_no_padding(model, episode):
    padded = {
        "support": np.concatenate([episode["support"], np.full((2, 3, 7), np.nan, np.float32)], axis=1),
        "support_mask": np.array([[True] * 4 + [False] * 3] * 2),
        "query": episode["query"],
    }
    np.testing.assert_allclose(model(padded, tau=0.5), model(episode, tau=0.5), rtol=1e-5)
    np.testing.assert_array_equal(
        model.select(padded["support"], padded["support_mask"]), model.select(episode["support"])
    )


def test_batch_of_tasks_equals_one_by_one(model, episode):
    together = np.asarray(model(episode, tau=0.5))
    for task in range(2):
        alone = model({name: array[task : task + 1] for name, array in episode.items()}, tau=0.5)
        np.testing.assert_allclose(together[task], alone[0], rtol=1e-4)


def test_one_task_keeps_its_dimension_in_a_graph(model, episode):
    support = tf.constant(episode["support"][:1])
    chosen = tf.function(model.select, autograph=False)(support)
    np.testing.assert_array_equal(chosen, model.select(support))


MODELS = {
    "concrete": lambda: concrete_model(7, 3, 5, 6, (4, 4), seed=2),
    "unique": lambda: concrete_model(7, 3, 5, 6, (4, 4), seed=2, selection="unique"),
    "direct": lambda: concrete_model(7, 3, 5, 6, (4, 4), seed=2, selector="direct"),
    "embedding": lambda: concrete_model(7, 3, 5, 6, (4, 4), seed=2, selector="embedding"),
    "classifier": lambda: concrete_model(7, 3, 5, 6, (4, 4), seed=2, num_classes=4),
    "fixed": lambda: fixed_model(7, (5, 1, 3), decoder_units=(4,), seed=2),
    "by hand": lambda: FewShotSelector(SharedSelector(3, seed=2), TaskDecoder(7, (), 0, seed=3), 7),
}


@pytest.mark.parametrize("kind", MODELS)
def test_keras_file_and_config_give_the_same_model(kind, episode, tmp_path):
    model = MODELS[kind]()
    model.build()
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(loaded(episode, tau=0.5), model(episode, tau=0.5))
    np.testing.assert_array_equal(loaded.select(episode["support"]), model.select(episode["support"]))
    assert loaded.abilities == model.abilities
    twin = model.__class__.from_config(model.get_config())
    twin.build()
    np.testing.assert_array_equal(twin(episode, tau=0.5), model(episode, tau=0.5))


def test_confidence_is_the_mean_highest_probability(model, episode):
    probability = oracles.concrete(np.asarray(model.selector(episode["support"])), 1.0)
    np.testing.assert_allclose(model.confidence(episode["support"]), probability.max(-1).mean(-1), rtol=1e-5)


@pytest.mark.parametrize("kind", MODELS)
def test_a_frozen_model_chooses_the_same(kind, episode):
    model = MODELS[kind]()
    model.build()
    expected = model.selector.choose(episode["support"])
    padded = np.concatenate([episode["support"], np.full((2, 3, 7), np.nan, np.float32)], axis=1)
    mask = np.array([[True] * 4 + [False] * 3] * 2)
    for chosen in (model.frozen()(episode["support"], None), model.frozen()(padded, mask)):
        np.testing.assert_array_equal(chosen.indices, expected.indices)
        np.testing.assert_allclose(chosen.scores, expected.scores, rtol=1e-5)


def test_initial_weights_are_those_of_0_5_0():
    selector_seed, decoder_seed = child_seeds(2, 2)
    selector = TaskSelector(3, 5, 6, seed=selector_seed)
    decoder = TaskDecoder(7, (4, 4), embedding_units=6, seed=decoder_seed)
    by_hand = FewShotSelector(selector, decoder, 7)
    by_hand.build()
    assembled = concrete_model(7, 3, 5, 6, (4, 4), seed=2)
    assembled.build()
    for one, other in zip(by_hand.get_weights(), assembled.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_decoder_of_another_size_is_refused():
    with pytest.raises(ValueError, match="gives 7 numbers for a row, one for each feature. Received: .* 6"):
        FewShotSelector(SharedSelector(3), TaskDecoder(6), 7)
    with pytest.raises(ValueError, match="gives 4 numbers for a row, one for each class. Received: .* 7"):
        FewShotSelector(SharedSelector(3), TaskDecoder(7), 7, num_classes=4)


def test_fixed_features_are_decoded_in_their_order(episode):
    model = fixed_model(7, (5, 1, 3), seed=2)
    model.build()
    values = episode["query"][:, :, [5, 1, 3]]
    np.testing.assert_array_equal(model(episode), model.reconstruct(episode["support"], values))
    np.testing.assert_array_equal(model.select(episode["support"]), [[5, 1, 3]] * 2)


@pytest.mark.parametrize("kind", ["few_shot", "fixed"])
def test_a_classifier_gives_logits_and_probabilities_and_reconstructs_nothing(kind, model, episode):
    if kind == "fixed":
        classifier = fixed_model(7, (5, 1, 3), num_classes=4, seed=2)
    else:
        classifier = concrete_model(7, 3, 5, 6, (4, 4), output_activation="sigmoid", seed=2, num_classes=4)
    classifier.build()
    assert classifier(episode, tau=0.5).shape == (2, 6, 4)
    values = episode["query"][:, :, :3]
    logits = np.asarray(classifier.decode(episode["support"], values))
    np.testing.assert_array_equal(logits, classifier.decoder(values, episode["support"]))
    assert logits.min() < 0  # a sigmoid's are not
    np.testing.assert_allclose(
        classifier.classify(episode["support"], values), oracles.concrete(logits, 1.0), rtol=1e-5
    )
    with pytest.raises(ValueError, match="predicts 4 classes .* reconstructs nothing: call classify"):
        classifier.reconstruct(episode["support"], values)
    with pytest.raises(ValueError, match="knows no classes: call reconstruct"):
        model.classify(episode["support"], values)


@pytest.mark.parametrize("num_classes", [None, 4])
def test_classes_leave_the_selector_as_it_is(model, episode, num_classes):
    other = concrete_model(7, 3, 5, 6, (4, 4), seed=2, num_classes=num_classes)
    other.build()
    np.testing.assert_array_equal(other.selector(episode["support"]), model.selector(episode["support"]))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: concrete_model(7, 8), "at least 8 features.*num_features=7"),
        (lambda: concrete_model(0, 1), "num_features=0"),
        (lambda: concrete_model(7, 3, selector="tasks"), "selector='tasks'"),
        (lambda: concrete_model(7, 3, selection="uniqe"), "selection='uniqe'"),
        (lambda: concrete_model(7, 3, pi_stddev=-1.0), "pi_stddev=-1.0"),
        (lambda: concrete_model(7, 3, selector="direct", pi_stddev=-1.0), "pi_stddev=-1.0"),
        (lambda: concrete_model(7, 3, decoder_units=32), "hidden_units=32"),
        (lambda: concrete_model(7, 3, output_activation="sigmoidal"), "sigmoidal"),
        (lambda: concrete_model(7, 3, num_classes=0), "num_features=0|num_classes=0"),
        (lambda: concrete_model(7, 3, seed=-1), "seed=-1"),
        (lambda: fixed_model(7, (1, 7)), "at least 8 features.*num_features=7"),
        (lambda: FewShotSelector(256, 10, 5), "selector layer .*tffs.concrete_model .*selector=256"),
        (lambda: FewShotSelector(TaskDecoder(7), TaskDecoder(7), 7), "Expected a selector layer"),
        (lambda: FewShotSelector(SharedSelector(3), None, 7), "Expected a decoder layer .*decoder=None"),
        (lambda: FewShotSelector(SharedSelector(3), TaskDecoder(7), "7"), "num_features='7'"),
        (lambda: FewShotSelector(SharedSelector(3), TaskDecoder(7), 7, num_classes=True), "num_classes=True"),
    ],
)
def test_a_wrong_argument_is_named_when_the_model_is_made(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_keras_own_training_is_refused_with_the_trainer_s_name(model):
    with pytest.raises(NotImplementedError, match="keep the temperature at 1.*tffs.training.trainer.Trainer"):
        model.compile("adam", "mse")

"""The signatures of an exported model.

Every input and output has the tasks first, because a server merges requests on dimension 0; and nothing raises,
because it gives one status to all requests of a batch: a task's error is in the output `error`.
"""

import dataclasses
import json
from collections.abc import Callable

import keras
import tensorflow as tf

from tffs.models import RawUnitsSelector, protocol
from tffs.selection import Choice, Choose, distinct_count
from tffs.selection.greedy import Limits
from tffs.serving import contract, task_errors
from tffs.serving.description import Description
from tffs.serving.example_parsing import parse_examples
from tffs.serving.task_by_task import task_by_task

NAN = float("nan")
INTERVAL = 0.9  # the share of values that `low` and `high` cover
Outputs = dict[str, tf.Tensor]


@dataclasses.dataclass(frozen=True)
class Signature:
    """One question that an exported model answers.

    Attributes:
        name: what it is called in the export.
        needs: the model's ability that it asks for, or None; without it the export has no such signature.
        answer: computes the outputs from the inputs, by their names.
        inputs: the shapes and types of the inputs, in the order of the arguments, with the tasks first.
    """

    name: str
    needs: str | None
    answer: Callable[..., Outputs]
    inputs: tuple[tf.TensorSpec, ...]


class Signatures:
    """What an exported model answers.

    Args:
        model: the trained model, in raw units.
        description: what it says of itself.
    """

    def __init__(self, model: RawUnitsSelector, description: Description) -> None:
        self._model = model
        self._description = description
        self._names = tf.constant(description.feature_names)
        self._choose = self._traced_choice()
        self._reach = model.multiple(INTERVAL) if protocol.INFER in model.abilities else 0.0

    def all(self) -> list[Signature]:
        """List the signatures that the model has the abilities for; the first is also `serving_default`."""
        features = self._description.num_features
        any_rows = self._spec("support", None, features)
        rows = (
            any_rows
            if self._description.ranks
            else self._spec("support", self._description.support_size, features)
        )
        values = self._spec("values", None, self._description.num_selected)
        all_values = self._spec("values", None, features)
        size = tf.TensorSpec([None], tf.int32, name="support_size")
        limits = (
            tf.TensorSpec([None, features], tf.bool, name="include"),
            tf.TensorSpec([None, features], tf.bool, name="exclude"),
            tf.TensorSpec([None, features], tf.float32, name="costs"),
            tf.TensorSpec([None], tf.float32, name="budget"),
        )
        examples = tf.TensorSpec([None], tf.string, name="examples")
        request = tf.TensorSpec([None], tf.int32, name="request")
        known = [
            Signature(contract.SELECT, protocol.SELECT, self.select, (rows,)),
            Signature(contract.SELECT_MASKED, protocol.SELECT, self.select_masked, (any_rows, size)),
            Signature(contract.SELECT_EXAMPLES, protocol.SELECT, self.select_examples, (examples,)),
            Signature(contract.SELECT_LIMITED, protocol.RANK, self.select_limited, (any_rows, size, *limits)),
            Signature(contract.RANK, protocol.RANK, self.rank, (any_rows, size, *limits)),
            Signature(contract.RECONSTRUCT, protocol.RECONSTRUCT, self.reconstruct, (rows, values)),
            Signature(contract.RECONSTRUCT, protocol.INFER, self.infer, (any_rows, size, all_values)),
            Signature(contract.CLASSIFY, protocol.CLASSIFY, self.classify, (rows, values)),
            Signature(contract.DESCRIBE, None, self.describe, (request,)),
        ]
        return [one for one in known if one.needs is None or one.needs in self._model.abilities]

    def add_to(self, archive: keras.export.ExportArchive) -> dict[str, Callable[..., Outputs]]:
        """Add every signature, and give what answers it by its name."""
        answers = {signature.name: _traced_once(signature) for signature in self.all()}
        for signature in self.all():
            archive.add_endpoint(
                signature.name, answers[signature.name], input_signature=list(signature.inputs)
            )
        return answers

    def select(self, support: tf.Tensor) -> Outputs:
        """Choose K features for each task from its support rows [tasks, N_S, M], or of any number."""
        return self._answer(support, None, self._not_finite(support))

    def select_masked(self, support: tf.Tensor, support_size: tf.Tensor) -> Outputs:
        """Choose from the first `support_size` of the rows [tasks, rows, M]; what follows has no influence."""
        return self._answer(support, *self._masked(support, support_size))

    def select_examples(self, examples: tf.Tensor) -> Outputs:
        """Choose for tf.Examples, each with one whole support set as the float feature `support`."""
        shape = (self._description.support_size, self._description.num_features)
        counts, values = parse_examples(examples, shape[0] * shape[1])
        support = tf.reshape(values, [-1, *shape])
        wrong = task_errors.wrong_count(counts, *shape)
        return self._answer(support, None, task_errors.first_of(wrong, self._not_finite(support)))

    def rank(self, support: tf.Tensor, support_size: tf.Tensor, *limits: tf.Tensor) -> Outputs:
        """Give all features that may be chosen, the best first, and the expected error after each."""
        return self._ranked(self._description.num_features, support, support_size, Limits(*limits))

    def select_limited(self, support: tf.Tensor, support_size: tf.Tensor, *limits: tf.Tensor) -> Outputs:
        """Give the first K features of `rank`, in much less time where K is much less than M."""
        return self._ranked(self._description.num_selected, support, support_size, Limits(*limits))

    def _ranked(self, count: int, support: tf.Tensor, support_size: tf.Tensor, limits: Limits) -> Outputs:
        mask, error = self._masked(support, support_size)
        indices, errors, novelty = task_by_task(
            lambda support, mask, *limits: self._model.rank(support, mask, Limits(*limits), count),
            (support, mask, *limits),
            self._description.num_features,
        )
        error = task_errors.first_of(
            error, task_errors.wrong_limits(limits, self._names), task_errors.overflow(errors)
        )
        fine = error == ""
        there = fine[:, None] & (indices >= 0)
        after = tf.where(indices >= 0, errors[:, 1:], -1.0)
        return {
            "indices": tf.ensure_shape(tf.where(there, indices, -1), [None, count]),
            "names": tf.where(there, tf.gather(self._names, tf.maximum(indices, 0)), ""),
            "expected_error": tf.where(fine[:, None], after, NAN),
            "expected_error_of_none": tf.where(fine, errors[:, 0], NAN),
            "novelty": tf.where(fine, tf.where(tf.math.is_nan(novelty), -1.0, novelty), NAN),
            contract.ERROR: error,
        }

    def infer(self, support: tf.Tensor, support_size: tf.Tensor, values: tf.Tensor) -> Outputs:
        """Give all features of rows [tasks, rows, M] that are NaN where not measured, with 90 % intervals."""
        mask, error = self._masked(support, support_size)
        inputs = (support, values, mask)
        mean, variance = task_by_task(self._model.infer, inputs, self._description.num_features)
        error = task_errors.first_of(
            error,
            task_errors.not_finite(values, self._names, "values", True, None),
            task_errors.overflow(mean),
            task_errors.overflow(variance),
        )
        fine = (error == "")[:, None, None]
        reach = self._reach * tf.sqrt(variance)
        measured = ~tf.math.is_nan(values)
        return {
            "reconstruction": tf.where(fine, mean, NAN),
            "low": tf.where(fine, tf.where(measured, mean, mean - reach), NAN),
            "high": tf.where(fine, tf.where(measured, mean, mean + reach), NAN),
            contract.ERROR: error,
        }

    def reconstruct(self, support: tf.Tensor, values: tf.Tensor) -> Outputs:
        """Give all M features of rows from the values [tasks, rows, K] of those that `select` gave."""
        choice, error = self._chosen(support, values)
        reconstruction = self._model.reconstruct(support, values, selected=choice.indices)
        return self._or_nan("reconstruction", reconstruction, error)

    def classify(self, support: tf.Tensor, values: tf.Tensor) -> Outputs:
        """Give the probabilities of rows' classes from the values [tasks, rows, K] of the chosen features."""
        choice, error = self._chosen(support, values)
        probabilities = self._model.classify(support, values, selected=choice.indices)
        return self._or_nan("probabilities", probabilities, error)

    def describe(self, request: tf.Tensor) -> Outputs:
        """Give the description as one JSON document for each entry of `request`, whatever it holds."""
        document = json.dumps(self._description.to_json(), ensure_ascii=False)
        return {"description": tf.fill(tf.shape(request), document)}

    def _traced_choice(self) -> Choose:
        """Give the model's choice as a graph that is made once for all signatures: it is most of each."""
        choose, features = self._model.frozen(), self._description.num_features
        if not self._description.ranks:
            return tf.function(choose, autograph=False)
        rows = (self._spec("support", None, features), tf.TensorSpec([None, None], tf.bool, name="mask"))
        return tf.function(
            lambda support, mask: task_by_task(choose, (support, mask), features),
            input_signature=rows,
            autograph=False,
        )

    def _spec(self, name: str, rows: int | None, columns: int) -> tf.TensorSpec:
        return tf.TensorSpec([None, rows, columns], tf.float32, name=name)

    def _masked(self, support: tf.Tensor, support_size: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Say which rows count, and what is wrong with them."""
        rows = tf.shape(support)[1]
        mask = tf.range(rows)[None, :] < support_size[:, None]
        wrong = task_errors.wrong_size(support_size, rows, self._description.support_sizes)
        return mask, task_errors.first_of(wrong, self._not_finite(support, mask))

    def _not_finite(self, support: tf.Tensor, mask: tf.Tensor | None = None) -> tf.Tensor:
        return task_errors.not_finite(support, self._names, "support rows", self._model.imputes, mask)

    def _answer(self, support: tf.Tensor, mask: tf.Tensor | None, error: tf.Tensor) -> Outputs:
        """Select, and put the tasks' errors in the place of what they have no answer for."""
        if self._description.ranks and mask is None:
            mask = tf.ones(tf.shape(support)[:2], tf.bool)
        indices, scores = self._choose(support, mask)
        error = task_errors.first_of(error, task_errors.overflow(scores))
        fine = (error == "")[:, None]
        return {
            "indices": tf.where(fine, indices, -1),
            "names": tf.where(fine, tf.gather(self._names, indices), ""),
            "scores": tf.where(fine, scores, NAN),
            "distinct": tf.where(fine[:, 0], distinct_count(indices), 0),
            contract.ERROR: error,
        }

    def _chosen(self, support: tf.Tensor, values: tf.Tensor) -> tuple[Choice, tf.Tensor]:
        """Choose the features that the values are of, and find what is wrong with the request."""
        choice = self._choose(support, None)
        names = tf.gather(self._names, choice.indices)
        error = task_errors.first_of(
            self._not_finite(support),
            task_errors.overflow(choice.scores),
            task_errors.not_finite(values, names, "values", self._model.imputes, None),
        )
        return choice, error

    def _or_nan(self, name: str, results: tf.Tensor, error: tf.Tensor) -> Outputs:
        error = task_errors.first_of(error, task_errors.overflow(results))
        return {name: tf.where((error == "")[:, None, None], results, NAN), contract.ERROR: error}


def _traced_once(signature: Signature) -> Callable[..., Outputs]:
    """Give a signature's answer as a graph; any other is traced when it is added and when it is saved."""
    traced = tf.function(signature.answer, input_signature=signature.inputs, autograph=False)
    answer = traced.get_concrete_function()
    return lambda *inputs: answer(*inputs)

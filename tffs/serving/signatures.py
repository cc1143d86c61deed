"""The signatures of an exported model.

Every input and output has the tasks first, because a server merges requests on dimension 0; and nothing raises,
because it gives one status to all requests of a batch: a task's error is in the output `error`.
"""

import json

import keras
import tensorflow as tf

from tffs.models import RawUnitsSelector
from tffs.selection import distinct_count, scores_of, select
from tffs.serving import contract, task_errors
from tffs.serving.description import Description
from tffs.serving.example_parsing import parse_examples

NAN = float("nan")
Outputs = dict[str, tf.Tensor]


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
        # Folded once: this part of eq. 3 is the same for every task.
        self._selector_logits = tf.constant(model.selector.selector.selector_logits())[None]

    def add_to(self, archive: keras.export.ExportArchive) -> None:
        """Add every signature; the first is also `serving_default`."""
        support = self._spec("support", self._description.support_size, self._description.num_features)
        any_rows = self._spec("support", None, self._description.num_features)
        values = self._spec("values", None, self._description.num_selected)
        size = tf.TensorSpec([None], tf.int32, name="support_size")
        examples = tf.TensorSpec([None], tf.string, name="examples")
        archive.add_endpoint(contract.SELECT, self.select, input_signature=[support])
        archive.add_endpoint(contract.SELECT_MASKED, self.select_masked, input_signature=[any_rows, size])
        archive.add_endpoint(contract.SELECT_EXAMPLES, self.select_examples, input_signature=[examples])
        if self._model.num_classes is None:
            archive.add_endpoint(contract.RECONSTRUCT, self.reconstruct, input_signature=[support, values])
        else:
            archive.add_endpoint(contract.CLASSIFY, self.classify, input_signature=[support, values])
        request = tf.TensorSpec([None], tf.int32, name="request")
        archive.add_endpoint(contract.DESCRIBE, self.describe, input_signature=[request])

    def select(self, support: tf.Tensor) -> Outputs:
        """Choose K features for each task from its support rows [tasks, N_S, M]."""
        return self._answer(support, None, self._not_finite(support))

    def select_masked(self, support: tf.Tensor, support_size: tf.Tensor) -> Outputs:
        """Choose from the first `support_size` of the rows [tasks, rows, M]; what follows has no influence."""
        rows = tf.shape(support)[1]
        mask = tf.range(rows)[None, :] < support_size[:, None]
        wrong = task_errors.wrong_size(support_size, rows, self._description.support_sizes)
        return self._answer(support, mask, task_errors.first_of(wrong, self._not_finite(support, mask)))

    def select_examples(self, examples: tf.Tensor) -> Outputs:
        """Choose for tf.Examples, each with one whole support set as the float feature `support`."""
        shape = (self._description.support_size, self._description.num_features)
        counts, values = parse_examples(examples, shape[0] * shape[1])
        support = tf.reshape(values, [-1, *shape])
        wrong = task_errors.wrong_count(counts, *shape)
        return self._answer(support, None, task_errors.first_of(wrong, self._not_finite(support)))

    def reconstruct(self, support: tf.Tensor, values: tf.Tensor) -> Outputs:
        """Give all M features of rows from the values [tasks, rows, K] of those that `select` gave."""
        scaled, chosen, error = self._scaled(support, values)
        reconstruction = self._model.scaling.inverse(self._model.selector.decode(scaled, chosen))
        return self._or_nan("reconstruction", reconstruction, error)

    def classify(self, support: tf.Tensor, values: tf.Tensor) -> Outputs:
        """Give the probabilities of rows' classes from the values [tasks, rows, K] of the chosen features."""
        scaled, chosen, error = self._scaled(support, values)
        return self._or_nan("probabilities", self._model.selector.classify(scaled, chosen), error)

    def describe(self, request: tf.Tensor) -> Outputs:
        """Give the description as one JSON document for each entry of `request`, whatever it holds."""
        document = json.dumps(self._description.to_json(), ensure_ascii=False)
        return {"description": tf.fill(tf.shape(request), document)}

    def _spec(self, name: str, rows: int | None, columns: int) -> tf.TensorSpec:
        return tf.TensorSpec([None, rows, columns], tf.float32, name=name)

    def _not_finite(self, support: tf.Tensor, mask: tf.Tensor | None = None) -> tf.Tensor:
        imputes = self._model.scaling.impute
        return task_errors.not_finite(support, self._names, "support rows", imputes, mask)

    def _log_alpha(self, scaled: tf.Tensor, mask: tf.Tensor | None = None) -> tf.Tensor:
        """Compute eq. 3: [tasks, K, M]."""
        return self._model.selector.selector.support_logits(scaled, mask)[:, None, :] + self._selector_logits

    def _answer(self, support: tf.Tensor, mask: tf.Tensor | None, error: tf.Tensor) -> Outputs:
        """Select, and put the tasks' errors in the place of what they have no answer for."""
        log_alpha = self._log_alpha(self._model.scaling(support), mask)
        indices = select(log_alpha, self._model.selector.selection)
        error = task_errors.first_of(error, task_errors.overflow(log_alpha))
        fine = (error == "")[:, None]
        return {
            "indices": tf.where(fine, indices, -1),
            "names": tf.where(fine, tf.gather(self._names, indices), ""),
            "scores": tf.where(fine, scores_of(log_alpha, indices), NAN),
            "distinct": tf.where(fine[:, 0], distinct_count(indices), 0),
            contract.ERROR: error,
        }

    def _scaled(self, support: tf.Tensor, values: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        """Scale the support rows and the values of the features chosen from them, and find what is wrong."""
        scaling = self._model.scaling
        scaled = scaling(support)
        log_alpha = self._log_alpha(scaled)
        indices = select(log_alpha, self._model.selector.selection)
        names = tf.gather(self._names, indices)
        error = task_errors.first_of(
            self._not_finite(support),
            task_errors.overflow(log_alpha),
            task_errors.not_finite(values, names, "values", scaling.impute, None),
        )
        return scaled, scaling.scale_chosen(values, indices), error

    def _or_nan(self, name: str, results: tf.Tensor, error: tf.Tensor) -> Outputs:
        error = task_errors.first_of(error, task_errors.overflow(results))
        return {name: tf.where((error == "")[:, None, None], results, NAN), contract.ERROR: error}

"""`tffs.load`: a fitted selector, wherever its model is."""

import os
from typing import Any

import numpy as np

from tffs.errors import UserError
from tffs.estimator.names import said_in_python
from tffs.estimator.selector import FewShotFeatureSelector
from tffs.serving.client.address import is_address
from tffs.serving.contract import MODEL_NAME
from tffs.serving.description import Description
from tffs.serving.front_door import FrontDoor


def load(place: str, model_name: str | None = None) -> FewShotFeatureSelector:
    """Give the selector of a model that was fitted before: the same methods wherever it is.

    Args:
        place: a folder (a run's workdir, an export folder or one version of it, or what
            `FewShotFeatureSelector.save` wrote), or the address of a server: `http://host:8501` for REST, which
            needs no TensorFlow, or `host:8500` for gRPC.
        model_name: what the server calls the model, if it is not "tffs".

    Example:
        >>> import tffs
        >>> try:
        ...     tffs.load("no/such/folder")
        ... except tffs.UserError as error:
        ...     print(str(error).partition(":")[0])
        no/such/folder is not a folder
    """
    place = os.fspath(place)
    with said_in_python():
        if not os.path.exists(place) and is_address(place):
            from tffs.serving.client import Client

            client = Client(place, model_name or MODEL_NAME)
            return _selector(client, client.describe(), None)
        if model_name is not None:
            raise UserError(
                f"model_name is what a server calls a model, but {place} is no server: leave it out."
            )
        from tffs.startup import import_tensorflow

        import_tensorflow()
        if os.path.isfile(os.path.join(place, "selector.json")):
            return _saved(place)
        from tffs.serving.exported_model import ExportedModel

        model = ExportedModel(place)
        from tffs.report.beside import measured_beside

        beside = measured_beside(place)
        selector = _selector(model, model.description, beside and beside.result)
        if beside is not None:
            selector._making, selector._result = beside.making, beside.result
        return selector


def _selector(door: FrontDoor, description: Description, figures: Any) -> FewShotFeatureSelector:
    from tffs.estimator.left_out_figures import LeftOutFigures
    from tffs.report.making import making_of_model

    selector = FewShotFeatureSelector(
        description.num_selected,
        method=description.method,
        scaling=description.scaling,
        missing=description.missing,
    )
    _name(selector, description, True)
    selector._take(door, LeftOutFigures.known(figures))
    selector._making = making_of_model(description.training, description.method)
    return selector


def _name(selector: FewShotFeatureSelector, description: Description, named: bool) -> None:
    selector.n_features_in_ = description.num_features
    if named:
        selector.feature_names_in_ = np.asarray(description.feature_names, object)


def _saved(path: str) -> FewShotFeatureSelector:
    """Load what `FewShotFeatureSelector.save` wrote."""
    from tffs.estimator.left_out_figures import LeftOutFigures
    from tffs.estimator.storing import MODEL, stored
    from tffs.models import load_model
    from tffs.serving.model_in_memory import ModelInMemory

    values = stored(path)
    lists = {name: tuple(values["parameters"][name]) for name in ("include", "exclude")}
    selector = FewShotFeatureSelector(**{**values["parameters"], **lists})
    _name(selector, values["description"], values["named"])
    door = ModelInMemory(load_model(os.path.join(path, MODEL)), values["description"])
    selector._take(door, LeftOutFigures.known(values["figures"]), values["support"])
    return selector

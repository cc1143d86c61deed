"""How a dataset with a builder is named: by its name here, by its builder's path, or by its import name.

Importing this imports neither TFDS nor TensorFlow.
"""

import hashlib
import importlib.util
import os
import pathlib

from tffs.errors import UserError

TABLE = "table"  # the generic builder, which makes a dataset of any table
_ENDING = "_dataset_builder.py"


def available() -> list[str]:
    """List the names of the datasets that have a builder here."""
    here = pathlib.Path(__file__).parent
    return sorted({path.parent.name for path in here.glob(f"*/*{_ENDING}")} - {TABLE})


def resolve(given: str) -> str:
    """Find what a person means by a dataset, without running anything.

    Args:
        given: a name of `available`, the path of a builder's file or of a folder with one, or the import name
            of a module or package with one.

    Returns:
        The name, the absolute path of the file, or the import name; other things raise `UserError`, whose text
        continues a sentence about what was given.
    """
    if given in available():
        return given
    path = os.path.abspath(os.path.expanduser(given))
    if os.path.isfile(path) and path.endswith(".py"):
        return path
    files = sorted(str(file) for file in pathlib.Path(path).glob(f"*{_ENDING}"))
    if len(files) == 1:
        return files[0]
    if files or os.sep in given or given.endswith(".py"):
        found = f"there are {len(files)} such files" if os.path.isdir(path) else "it is not there"
        raise UserError(
            f"must be the path of a TFDS builder, a .py file or a folder with one *{_ENDING}, but '{given}' "
            f"was given, and {found}."
        )
    parts = given.split(".")
    if all(map(str.isidentifier, parts)) and importlib.util.find_spec(parts[0]) is not None:
        return given
    raise UserError(
        f"must be one of {', '.join(available())}, or a TFDS builder of your own by its path or its import "
        f"name, but '{given}' was given."
    )


def known(dataset: str) -> bool:
    """Tell whether a name is one that `resolve` gives."""
    try:
        return resolve(dataset) == dataset
    except UserError:
        return False


def short_name(dataset: str) -> str:
    """Give a dataset's name for people and folders."""
    if dataset.endswith(".py"):
        return os.path.basename(dataset).removesuffix(_ENDING).removesuffix(".py")
    return dataset.rpartition(".")[2].removesuffix("_dataset_builder")


def home(dataset: str, data_dir: str) -> str:
    """Give the folder below which a builder prepares its dataset: those of a user may have the same name."""
    if dataset in available():
        return data_dir
    key = hashlib.sha256(dataset.encode()).hexdigest()[:16]
    return os.path.join(data_dir, "own", f"{short_name(dataset)}-{key}")

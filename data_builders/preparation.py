"""Prepare a dataset: one process at a time, whole or not at all, from the network or from a mirror of it."""

import contextlib
import glob
import hashlib
import io
import logging
import os
import shutil
import sys
from collections.abc import Iterator
from typing import Any

import requests
import tensorflow as tf
import tensorflow_datasets as tfds
from tensorflow_datasets.core.download.download_manager import NonMatchingChecksumError

import data_builders
from data_builders.reference import home
from tffs.errors import UserError, reason
from tffs.file_lock import open_locked


def prepare(name: str, data_dir: str, mirror: str | None = None) -> tfds.core.DatasetBuilder:
    """Make sure that dataset `name` lies prepared below `data_dir`.

    TFDS writes into a folder of its own and renames it at the end, so an interrupted preparation
    leaves nothing that looks prepared. Processes that ask at the same time wait for the first.

    Args:
        name: as `data_builders.reference.resolve` gives it.
        data_dir: where prepared datasets are kept.
        mirror: a folder with `<dataset>/<file name>` that replaces the network, or None.

    Returns:
        The builder, ready to be read.
    """
    builder = data_builders.builder(name, data_dir)
    if builder.data_path.exists():
        return builder
    with preparing(builder.name, home(name, data_dir)):
        builder = data_builders.builder(name, data_dir)  # another process may have prepared it meanwhile
        if not builder.data_path.exists():
            manual = os.path.join(mirror or os.path.join(data_dir, "downloads", "manual"), builder.name)
            if mirror:
                _check_mirror(builder, manual)
            if builder.MANUAL_DOWNLOAD_INSTRUCTIONS and not (os.path.isdir(manual) and os.listdir(manual)):
                raise UserError(
                    f"{builder.name} cannot be downloaded by tffs, and {manual} has no files: "
                    f"{' '.join(builder.MANUAL_DOWNLOAD_INSTRUCTIONS.split())}"
                )
            run_builder(builder, manual)
    return builder


def run_builder(builder: tfds.core.DatasetBuilder, manual: str | None = None, beam_options: Any = None) -> None:
    """Let TFDS download and prepare, without its notes on standard output.

    Args:
        builder: what to prepare.
        manual: where files may lie that need no download; they are checked as downloads are. The builders here
            have registered checksums; a user's own may have some, which are checked, too.
        beam_options: Beam's `PipelineOptions`, for a builder that can use them.
    """
    ours = type(builder).__module__.startswith(f"{data_builders.__name__}.")
    config = tfds.download.DownloadConfig(
        manual_dir=manual, force_checksums_validation=ours, beam_options=beam_options
    )
    if sys.stderr is not None and sys.stderr.isatty():
        tfds.enable_progress_bar()
    else:
        tfds.disable_progress_bar()
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            builder.download_and_prepare(download_config=config)
    except (requests.RequestException, tfds.download.DownloadError) as error:
        raise UserError(
            f"{builder.name} could not be downloaded ({reason(error)}): without internet, give a folder with "
            f"the files as --data_mirror=DIR or {data_builders.MIRROR_VARIABLE}=DIR, laid out as "
            f"DIR/{builder.name}/<file name>."
        ) from error
    except RuntimeError as error:  # TFDS makes one of what writing to a full disk raises
        raise _written(error) or error from error
    except NonMatchingChecksumError as error:
        raise UserError(
            f"What was downloaded for {builder.name} is not the registered file, so it was not used "
            f"({reason(error)}): try again, or give the right file with --data_mirror."
        ) from error


@contextlib.contextmanager
def preparing(folder: str, data_dir: str) -> Iterator[None]:
    """Keep other processes from preparing the same, and clear away what a killed one left half-built.

    Args:
        folder: the dataset's folder below `data_dir`, which holds its versions.
        data_dir: where prepared datasets are kept.
    """
    for noisy in ("urllib3", "absl"):  # what failed in the end is told in one sentence
        logging.getLogger(noisy).setLevel(logging.ERROR)
    try:
        os.makedirs(data_dir, exist_ok=True)
        with open_locked(os.path.join(data_dir, f".{folder.replace('/', '-')}.lock")):
            for leftover in glob.glob(os.path.join(glob.escape(data_dir), folder, "incomplete.*")):
                shutil.rmtree(leftover)
            yield
    except (OSError, tf.errors.OpError) as error:
        raise UserError(
            f"--data_dir={data_dir} must be a folder where datasets can be written, but preparing {folder} "
            f"failed ({reason(error)}): choose another folder or free some space."
        ) from error


def _written(error: BaseException | None) -> Exception | None:
    """Find what the operating system or TensorFlow said of a file, behind what TFDS made of it."""
    while error is not None:
        error = error.__cause__
        if isinstance(error, OSError | tf.errors.OpError):
            return error
    return None


def _check_mirror(builder: tfds.core.DatasetBuilder, folder: str) -> None:
    """Check every registered file in the mirror; with a mirror, nothing is downloaded."""
    for expected in (builder.url_infos or {}).values():  # a builder without checksums has none
        path = os.path.join(folder, expected.filename)
        if not os.path.isfile(path):
            raise UserError(
                f"--data_mirror must hold {builder.name}/{expected.filename}, but {path} is not there."
            )
        try:
            with open(path, "rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise UserError(f"--data_mirror must be readable, but {path} is not ({reason(error)}).") from error
        if found != expected.checksum:
            raise UserError(
                f"{path} is not the registered file: expected {int(expected.size)} bytes with SHA-256 "
                f"{expected.checksum}, but found {os.path.getsize(path)} bytes with {found}: copy it again."
            )

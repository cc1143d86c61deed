"""Inputs that end the process: kept among the findings, and given again in a process of their own."""

import json
import pathlib

from fuzzing.process import survives

_KINDS = ("crash", "timeout", "oom")  # what libFuzzer calls the files of such inputs


def keep(folder: str, death: str = "an earlier process died of it") -> bool:
    """Move the inputs that processes died of from where libFuzzer left them to the findings.

    The corpus must not have them either: the next process would die before it fuzzes.

    Args:
        folder: of the target.
        death: how the process died.

    Returns:
        Whether there was any.
    """
    left = [path for path in pathlib.Path(folder).iterdir() if path.name.partition("-")[0] in _KINDS]
    for path in left:
        _remove_from_corpus(folder, path.read_bytes())
        kept = _kept(folder) / f"{path.name}.case"
        kept.parent.mkdir(parents=True, exist_ok=True)
        about = {"name": f"{path.name}: {death}"}
        kept.with_suffix(".json").write_text(json.dumps(about, indent=1), encoding="utf-8")
        path.replace(kept)
    return bool(left)


def try_again(target: str, folder: str) -> None:
    """Give each of them again, and forget those that end no process any more."""
    for path in sorted(_kept(folder).glob("*.case")):
        if survives(target, folder, str(path)):
            path.unlink()
            path.with_suffix(".json").unlink()


def _kept(folder: str) -> pathlib.Path:
    return pathlib.Path(folder, "found", "deadly")


def _remove_from_corpus(folder: str, content: bytes) -> None:
    for path in list(pathlib.Path(folder, "corpus").glob("*")):
        if path.read_bytes() == content:
            path.unlink()

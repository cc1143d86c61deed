"""Published search spaces, as data."""

import pathlib


def published_spaces() -> dict[str, str]:
    """Give the paths of the published search spaces by their names."""
    return {file.stem: str(file) for file in sorted(pathlib.Path(__file__).parent.glob("*.toml"))}

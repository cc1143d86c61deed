"""Where rows come from; the same rows from another place make the same run."""

import dataclasses

import data_builders
from data_builders.table.options import TableOptions
from tffs.config.modes import WITH_ROWS
from tffs.options import Section, one_of, option, part, text

_PREPARING = (*WITH_ROWS, "prepare")
_BEAM_OPTION = r"[A-Za-z]\w*(=.+)?"


@dataclasses.dataclass(frozen=True)
class DataPlace(Section, group="Data"):
    """Where rows come from.

    Attributes:
        mirror: a folder with `<dataset>/<file name>` that replaces the network, or None.
        table: a user's table, or None.
        loaders: how many processes load the rows at a time, among which `cache="auto"` divides the memory.
    """

    data_dir: str = option(
        data_builders.DATA_DIR, "where prepared datasets are kept", modes=_PREPARING, path=True
    )
    mirror: str | None = option(
        None,
        "a folder with <dataset>/<file name> to read instead of downloading; the environment variable "
        f"{data_builders.MIRROR_VARIABLE} says the same",
        name="data_mirror",
        modes=(*_PREPARING, "inspect"),
        path=True,
    )
    cache: str = option(
        "auto",
        "'memory' holds all rows, 'stream' reads them from the prepared files as they are drawn, for the same "
        "model; 'auto' streams what would take more than half of the memory that is free",
        one_of("auto", "memory", "stream"),
        modes=tuple(mode for mode in WITH_ROWS if mode != "experiment"),
    )
    beam_options: tuple[str, ...] = option(
        (),
        "for a table that is too large for one machine: prepare it with Apache Beam, and have Beam compute the "
        "sums that a posterior is fitted to; Beam's own options as name=value or name, separated by commas, "
        "like runner=DirectRunner,direct_num_workers=2; what comes out is the same",
        text(
            "options of Beam as name=value, or name alone for one without a value, separated by commas, like "
            "runner=DirectRunner,direct_num_workers=2",
            _BEAM_OPTION,
        ),
        group="Your own table",
        modes=_PREPARING,
    )
    table: TableOptions | None = part((*_PREPARING, "inspect"), default=None)
    loaders: int = 1

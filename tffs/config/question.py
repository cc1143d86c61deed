"""A question to a trained model."""

import dataclasses

from tffs.options import LARGEST, Allowed, InvalidOption, Section, number, one_of, option

AUTO = "auto"
_NAMES = "separated by commas; a name with a comma in double quotes"


@dataclasses.dataclass(frozen=True)
class QuestionConfig(Section, group="Asking a trained model"):
    """What a trained model is asked, and how the answer is written.

    Attributes:
        num_selected: K, `auto` for as many as are worth measuring, or None for the model's own. The flag is
            also one of a run, so it is no option of this section.
    """

    model: str | None = option(None, "a workdir, an export folder or a version folder", path=True)
    server: str | None = option(
        None, "a server to ask instead, like http://localhost:8501 (REST) or localhost:8500 (gRPC)"
    )
    support: str | None = option(
        None,
        "a CSV (also .gz), Parquet, .npz or .npy file with the new task's rows; if not given, the source tasks "
        "alone decide (only with --method=posterior)",
        path=True,
    )
    include: tuple[str, ...] = option(
        (), f"features that are measured anyway: they are chosen first; {_NAMES}", modes=("select",)
    )
    exclude: tuple[str, ...] = option(
        (), f"features that cannot be measured: they are only inferred; {_NAMES}", modes=("select",)
    )
    costs: str | None = option(
        None,
        "a CSV of feature and cost, one a line: what tells most for its cost is chosen first",
        path=True,
        modes=("select",),
    )
    budget: float | None = option(
        None, "what the chosen features may cost together", number(0.0), modes=("select",)
    )
    values: str | None = option(
        None,
        "a CSV (also .gz), Parquet or .npz file with rows of which some features were measured, as columns by "
        "name; cells may be empty, and other columns are kept",
        path=True,
        modes=("reconstruct",),
    )
    interval: float = option(
        0.9,
        "how likely a value lies between its _low and its _high",
        Allowed("a number above 0 and below 1, like 0.9", lambda value: 0.0 < value < 1.0),
        modes=("reconstruct",),
    )
    output: str | None = option(
        None,
        "the file to write, packed if its name ends in .gz; standard output if not given",
        path=True,
        modes=("reconstruct",),
    )
    features: tuple[str, ...] = option(
        (), f"your own choice of features, to be judged; {_NAMES}", modes=("assess",)
    )
    report: str | None = option(
        None, "also write a page for people about the answer: an HTML file", path=True, modes=("select",)
    )
    format: str = option(
        "table", "'table' or 'json'; --mode=reconstruct writes a table as CSV", one_of("table", "json")
    )
    num_selected: int | str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        asked = self.num_selected
        if not (asked in (None, AUTO) or (isinstance(asked, int) and 1 <= asked <= LARGEST)):
            raise InvalidOption(
                f"num_selected must be a whole number from 1 to {LARGEST}, or {AUTO}, but received {asked!r}."
            )

"""Keep small cases of a corpus as tests: the smallest for each sentence of a refusal, and some with answers.

    python -m fuzzing.keep --target=table [--folder=...]

They go to fuzzing/cases/TARGET/kept/, with the outcome in their names. Cases that stand there already stay.
"""

import argparse
import os

from fuzzing.case import Case
from fuzzing.page import CASES
from fuzzing.run import FOLDER
from fuzzing.slug import slug
from fuzzing.target import NO_CASE, REFUSED, Target
from fuzzing.targets import NAMES, loaded_target

LARGEST = 1200  # bytes
MOST_ANSWERED = 2  # of each kind of case


def main() -> None:
    """Choose cases, and write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", choices=NAMES, required=True)
    parser.add_argument("--folder", default=FOLDER, help="of corpora")
    flags = parser.parse_args()
    corpus = os.path.join(flags.folder, flags.target, "corpus")
    kept = CASES / flags.target / "kept"
    kept.mkdir(parents=True, exist_ok=True)
    for name, case in chosen(loaded_target(flags.target, flags.folder), corpus).items():
        path = kept / f"{name}.case"
        if not path.exists():
            path.write_bytes(case.to_bytes())
    print(f"{len(list(kept.iterdir()))} cases in {kept}")


def chosen(target: Target, corpus: str) -> dict[str, Case]:
    """Give cases of a corpus by their names, which end in the outcome."""
    cases: dict[str, Case] = {}
    answered: dict[tuple[str, str], int] = {}
    for path in sorted((os.path.join(corpus, name) for name in os.listdir(corpus)), key=os.path.getsize):
        if os.path.getsize(path) > LARGEST:
            break
        with open(path, "rb") as file:
            case = Case.from_bytes(file.read())
        if case is None or (outcome := target.check(case)).kind == NO_CASE:
            continue
        number = answered[case.kind, outcome.kind] = answered.get((case.kind, outcome.kind), 0) + 1
        if outcome.kind == REFUSED:
            cases.setdefault(f"{slug(outcome.says)}.{outcome.kind}", case)
        elif number <= MOST_ANSWERED:
            cases[f"{case.kind}_{number}.{outcome.kind}"] = case
    return cases


if __name__ == "__main__":
    main()

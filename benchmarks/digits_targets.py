"""Train the paper's network once with each of the six digits_r tasks as the target, and tabulate the results.

    python -m benchmarks.digits_targets

Writes benchmarks/results/digits_targets.md; finished targets are not trained again.
"""

import argparse
import contextlib
import datetime
import io
import json
import pathlib
import platform
import time

from tffs.main import main

HERE = pathlib.Path(__file__).parent
TARGETS = ("rot0", "rot15", "rot30", "rot45", "rot60", "rot75")
METHODS = {"network": "the network", "random": "random", "variance": "highest variance"}


def run_target(target: str) -> dict:
    """Train and evaluate with `target` held out, as the published flag file does otherwise."""
    workdir = pathlib.Path("runs") / "digits_targets" / target
    with contextlib.redirect_stdout(io.StringIO()):
        flags = ["--flagfile=digits_r.flags", "--method=concrete", f"--target_task={target}"]
        flags += [f"--workdir={workdir}"]
        code = main(["tffs", *flags])
    if code:
        raise SystemExit(code)
    return json.loads((workdir / "result.json").read_text(encoding="utf-8"))


def table(results: dict[str, dict], seconds: float) -> str:
    """Write the table with how it was made."""
    lines = [
        "# The paper's network with each digits_r task as the target",
        "",
        f"Made by `python -m benchmarks.digits_targets` on {datetime.date.today()} "
        f"({platform.system()} {platform.machine()}, 1 thread, {seconds:.0f} s in all): N_S = 4, K = 10 of 64, "
        "20,000 steps, seed 0, one split each. MSRE: lower is better; ARI: higher is better.",
        "",
        "| target | "
        + " | ".join(f"MSRE {name}" for name in METHODS.values())
        + " | "
        + " | ".join(f"ARI % {name}" for name in METHODS.values())
        + " |",
        "|---" * (1 + 2 * len(METHODS)) + "|",
    ]
    for target, result in results.items():
        figures = {"network": result, **result["yardsticks"]}
        msre = [f"{figures[name]['msre']:.2f}" for name in METHODS]
        ari = [f"{figures[name]['ari']:.1f}" for name in METHODS]
        lines.append(f"| {target} | " + " | ".join([*msre, *ari]) + " |")
    return "\n".join(lines) + "\n"


def run() -> None:
    """Run all targets and write the table."""
    argparse.ArgumentParser(prog="python -m benchmarks.digits_targets", description=__doc__).parse_args()
    began = time.perf_counter()
    results = {target: run_target(target) for target in TARGETS}
    written = HERE / "results" / "digits_targets.md"
    written.parent.mkdir(exist_ok=True)
    written.write_text(table(results, time.perf_counter() - began), encoding="utf-8")
    print(written.read_text(encoding="utf-8"))


if __name__ == "__main__":
    run()

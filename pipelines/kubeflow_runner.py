"""Compile the pipeline for Kubeflow or Vertex: python -m pipelines.kubeflow_runner --output=FILE ..."""

import dataclasses
import sys
from collections.abc import Sequence

from pipelines import configs
from pipelines.configs import PipelineConfig
from pipelines.environment import require_tfx
from pipelines.flags import take
from tffs.errors import UserError, reason
from tffs.flags.flagfiles import with_flagfiles
from tffs.options import Section, option
from tffs.startup import start_tensorflow

PROGRAM = "pipelines.kubeflow_runner"


@dataclasses.dataclass(frozen=True)
class Specification(Section):
    """What is written, and for which container."""

    output: str | None = option(None, "the file to write", path=True)
    image: str | None = option(None, "the container image of every component, with tffs[tfx] installed")


def main(argv: Sequence[str]) -> int:
    """Write the specification of one pipeline.

    Args:
        argv: the program's name and its arguments.

    Returns:
        The exit code: 0 if it was written, 1 for a mistake.
    """
    try:
        if len(argv) < 2 or {"--help", "-h"} & set(argv[1:]):
            print(configs.help_text(PROGRAM, Specification))
            return 0 if len(argv) > 1 else 1
        values, _ = take(with_flagfiles(argv), Specification)
        if not values["output"] or not values["image"]:
            raise UserError("--output and --image must both be given; see --help.")
        config = configs.from_arguments(argv, Specification)
        if config.writes_input:
            raise UserError(
                "--input must name records that the cluster can read; python -m pipelines.write_records "
                "writes them."
            )
        require_tfx()
        start_tensorflow()
        compile_pipeline(config, values["output"], values["image"])
        print(f"Written: {values['output']}")
    except UserError as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def compile_pipeline(config: PipelineConfig, output: str, image: str) -> None:
    """Write the specification that Kubeflow Pipelines v2 and Vertex run.

    Args:
        config: with a root and an input that the cluster can reach.
        output: the file to write.
        image: the container image of every component.
    """
    import tensorflow as tf
    import tfx.v1 as tfx

    from pipelines.pipeline import create_pipeline

    runner = tfx.orchestration.experimental.KubeflowV2DagRunner(
        config=tfx.orchestration.experimental.KubeflowV2DagRunnerConfig(default_image=image),
        output_filename=output,
    )
    try:
        runner.run(create_pipeline(config))
    except (OSError, tf.errors.OpError) as error:
        raise UserError(f"--output={output} cannot be written ({reason(error)}).") from error


if __name__ == "__main__":
    sys.exit(main(sys.argv))

"""Compile the pipeline for Kubeflow or Vertex: python -m pipelines.kubeflow_runner --output=FILE ..."""

import sys
from collections.abc import Sequence

from absl import flags

from pipelines import configs
from pipelines.configs import PipelineConfig
from pipelines.environment import require_tfx
from tffs.errors import UserError, reason
from tffs.flags.flagfiles import with_flagfiles
from tffs.startup import start_tensorflow

PROGRAM = "pipelines.kubeflow_runner"


def main(argv: Sequence[str]) -> int:
    """Write the specification of one pipeline.

    Args:
        argv: the program's name and its arguments.

    Returns:
        The exit code: 0 if it was written, 1 for a mistake.
    """
    values = flags.FlagValues()
    flags.DEFINE_string("output", None, "the file to write", flag_values=values)
    flags.DEFINE_string(
        "image", None, "the container image of every component, with tffs[tfx] installed", flag_values=values
    )
    try:
        if len(argv) < 2 or {"--help", "-h"} & set(argv[1:]):
            print(configs.help_text(PROGRAM))
            for name in values:
                print(f"  --{name}: {values[name].help}")
            return 0 if len(argv) > 1 else 1
        try:
            rest = values(with_flagfiles(argv), known_only=True)
        except flags.Error as error:
            raise UserError(f"{' '.join(str(error).split())}; see --help.") from error
        if not values.output or not values.image:
            raise UserError("--output and --image must both be given; see --help.")
        config = configs.from_arguments(rest)
        if config.writes_input:
            raise UserError(
                "--input must name records that the cluster can read; python -m pipelines.write_records "
                "writes them."
            )
        require_tfx()
        start_tensorflow()
        compile_pipeline(config, values.output, values.image)
        print(f"Written: {values.output}")
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

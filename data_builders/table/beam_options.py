"""From --beam_options to Beam's own options; importing this needs apache-beam."""

import contextlib
import io
from collections.abc import Sequence

from apache_beam.options.pipeline_options import PipelineOptions, StandardOptions, TypeOptions
from apache_beam.runners.direct.direct_runner import SwitchingDirectRunner
from apache_beam.runners.portability.portable_runner import PortableRunner
from apache_beam.runners.runner import create_runner

from data_builders.table.beam_silence import silence
from tffs.errors import UserError, listed, reason


@silence()
def pipeline_options(given: Sequence[str]) -> PipelineOptions:
    """Make Beam's options of what a person gave.

    Args:
        given: `name=value` each, or `name` for one that takes no value.
    """
    options = _parsed([f"--{option}" for option in given])
    name = options.view_as(StandardOptions).runner or StandardOptions.DEFAULT_RUNNER
    try:
        runner = create_runner(name)
    except ValueError as error:
        raise UserError(
            f"--beam_options must name a runner of Beam, such as DirectRunner, PortableRunner, FlinkRunner or "
            f"DataflowRunner, but received runner={name}."
        ) from error
    except (ImportError, AttributeError) as error:
        raise UserError(
            f"--beam_options names runner={name}, which cannot be imported ({reason(error)}): install what it "
            "needs, or name another runner, such as DirectRunner."
        ) from error
    # The job server of a portable runner may have options of its own.
    if not isinstance(runner, PortableRunner):
        known = options.get_all_options()
        unknown = [name for name in options.get_all_options(retain_unknown_options=True) if name not in known]
        if unknown:
            raise UserError(
                f"--beam_options names {listed(unknown)}, which Beam does not know: see its documentation for "
                "the options of a pipeline."
            )
    if isinstance(runner, SwitchingDirectRunner):
        # It would rather download another runner and forget about direct_running_mode; this, which is about
        # triggers and so about nothing here, keeps it from that.
        options.view_as(TypeOptions).allow_unsafe_triggers = True
    return options


def _parsed(arguments: list[str]) -> PipelineOptions:
    """Have Beam read the values, which ends the process when one is of the wrong kind, or to show help."""
    heard = io.StringIO()
    try:
        with contextlib.redirect_stderr(heard), contextlib.redirect_stdout(io.StringIO()):
            options = PipelineOptions(arguments)
            options.get_all_options()
    except SystemExit as error:
        last = heard.getvalue().partition("error: ")[2].strip() or f"received {' '.join(arguments)}"
        raise UserError(f"--beam_options must be options of Beam with their values, but {last}.") from error
    return options

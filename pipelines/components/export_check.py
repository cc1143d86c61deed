"""ExportCheck: load the model as a server would, in a process of its own, before it may be pushed.

TFX's InfraValidator does that with a server in a container; this needs none: the session loader of TF Serving,
the warm-up requests and the golden request.
"""

import os

import tfx.v1 as tfx
from tfx.types.standard_artifacts import InfraBlessing, Model

from pipelines.models import version_folder
from tffs.errors import UserError
from tffs.serving.export import check_version


@tfx.dsl.components.component
def ExportCheck(  # noqa: N802
    model: tfx.dsl.components.InputArtifact[Model],
    blessing: tfx.dsl.components.OutputArtifact[InfraBlessing],
    code: tfx.dsl.components.Parameter[str],
) -> None:
    """Check a model.

    Args:
        model: to be checked.
        blessing: as TFX's InfraValidator writes it, for Pusher.
        code: a digest of the code: other code checks again.
    """
    wrong = ""
    try:
        check_version(version_folder(model))
    except UserError as error:
        wrong = str(error)
    blessing.set_int_custom_property("blessed", int(not wrong))
    blessing.set_string_custom_property("reason", wrong)
    os.makedirs(blessing.uri, exist_ok=True)
    name = "INFRA_NOT_BLESSED" if wrong else "INFRA_BLESSED"
    with open(os.path.join(blessing.uri, name), "w", encoding="utf-8") as file:
        file.write(wrong)

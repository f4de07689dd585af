"""Models that draw a picture of a prompt: hosted, through diffusers, or a class of yours."""

from __future__ import annotations

from editscope.editors.base import EditLimits
from editscope.editors.hosted import HostedEditor
from editscope.editors.registry import editor_of
from editscope.editors.spec import EditorSpec, parse_spec
from editscope.errors import BadInput, unknown
from editscope.factory.models.base import ImageModel, MadeMedia, MediaModel, as_picture
from editscope.factory.models.python_class import load_own
from editscope.python_class import KIND
from editscope.transport.account import Account

HOSTED = ("openai", "gemini", "bfl", "ark", "chat")
DIFFUSERS = "diffusers"
ROLE = "image model"


class HostedImages(ImageModel):
    """A vendor's model of pictures, asked without an input picture: the client is the one that edits use."""

    def __init__(self, spec: EditorSpec) -> None:
        editor = editor_of(spec)
        if not isinstance(editor, HostedEditor) or not editor.service.draws:
            raise BadInput(f"{ROLE} {spec}: this vendor draws nothing without a picture; use it in a step `edit`")
        editor.role = ROLE
        self.editor, self.spec, self.at_once = editor, str(spec), editor.at_once

    def limit(self, limits: EditLimits) -> None:
        """Take limits of speed and the file of prices."""
        self.editor.limit(limits)
        self.at_once = self.editor.at_once

    def use_account(self, account: Account | None) -> None:
        """Spend no more than the budget of the build allows."""
        self.editor.use_account(account)

    def check(self) -> None:
        """Raise BadInput for a missing key or package, a budget that cannot be kept, an address that is not there."""
        self.editor.check()

    def load(self) -> None:
        """Open the connections."""
        self.editor.load()

    def draw(self, prompt: str, width: int, height: int, seed: int) -> MadeMedia:
        """A picture of the prompt, or the status that says why there is none."""
        return as_picture(self.editor.draw(prompt, (width, height) if width and height else None, seed))

    def close(self) -> None:
        """Close the connections."""
        self.editor.close()


def load_images(text: str, limits: EditLimits = EditLimits()) -> MediaModel:
    """The model that a spec names: ``openai:gpt-image-1``, ``diffusers:FOLDER``, ``python:module:Class``."""
    spec = parse_spec(text)
    model: MediaModel
    if spec.inner is None and spec.kind in HOSTED:
        model = HostedImages(spec)
    elif spec.inner is None and spec.kind == DIFFUSERS:
        from editscope.factory.models.local.images import load_local_images

        model = load_local_images(spec.target, spec.options, text)
    elif spec.inner is None and spec.kind == KIND:
        model = load_own("image", spec.target, spec.options, text)
    else:
        raise unknown(f"kind of {ROLE}", spec.kind, (*HOSTED, DIFFUSERS, KIND))
    model.limit(limits)
    return model

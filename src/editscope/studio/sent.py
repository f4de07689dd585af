"""What requests send: bodies without unknown keys, whole texts, and numbers that every database holds."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

from editscope.outside import is_text

LARGEST_ID = 2**31 - 1


def _whole(text: str) -> str:
    if not is_text(text):
        raise PydanticCustomError("unfit_text", "The text holds a NUL or half of a character.")
    return text


Number = Annotated[int, Field(ge=0, le=LARGEST_ID)]
"""The number of something in the database."""
SentText = Annotated[str, AfterValidator(_whole)]
"""A text that is kept, or looked up in the database: PostgreSQL takes no NUL, and no file half of a character."""


class SentBody(BaseModel):
    """What a page sends, with no key that is unknown."""

    model_config = ConfigDict(extra="forbid")

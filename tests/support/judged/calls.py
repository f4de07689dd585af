"""A call to a judge that tests of transport send."""

from __future__ import annotations

from editscope.judges import Call
from editscope.judges.records import Field, Schema

IS_IT_RED = Call("q", ("Is it red?",), Schema((Field("score", "integer", 1, 5),)))

"""One comparison of real trainings for all tests of its figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.servers.judge_server import KEY, JudgeServer
from support.training.arms import sees_magenta, stand_in, throws_dice, write_files, write_plan
from support.training.comparisons import ARMS, PUBLISHED, Compared, called, zero_lora
from support.training.tiny_editors import settings_for


@pytest.fixture(scope="module")
def compared(
    tiny_pipeline: Callable[[str], Path], small: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Compared]:
    """Base, an arm that is trained, one with weights that change nothing, and one that leaves pictures as they are."""
    root = tmp_path_factory.mktemp("compared")
    model = settings_for("kontext", tiny_pipeline("kontext"))
    write_files(root, model)
    zero_lora(model, root)
    with (
        pytest.MonkeyPatch.context() as patch,
        JudgeServer(sees_magenta) as first,
        JudgeServer(throws_dice) as second,
    ):
        patch.chdir(root)
        patch.setenv("OPENAI_API_KEY", KEY)
        patch.setattr("editscope.training.comparison.evaluations.editor_spec", stand_in)
        plan = write_plan(root / "plan.toml", [first.spec("gpt-5"), second.spec("dice")], ARMS, published=PUBLISHED)
        with pytest.MonkeyPatch.context() as quiet:
            lines: list[str] = []
            quiet.setattr("editscope.printing.say", lambda text="", **_: lines.append(str(text)))
            code = called("train", "compare", plan, "--yes", "--jobs", "1", "--cache", "verdicts", "--quiet")
        yield Compared(root, plan, (first, second), "\n".join(lines), code)

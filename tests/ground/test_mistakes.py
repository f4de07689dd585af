"""A mistake in an option gets one sentence, with the option that was meant or what its value must be."""

from __future__ import annotations

import pytest

from editscope.cli import main

RUN = ("run", "paintbench", "--editor", "ref:half")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*RUN, "--limt", "4"), "there is no option --limt; did you mean --limit?\n"),
        (("show", "runs/mine", "--jsn"), "there is no option --jsn; did you mean --json?\n"),
        ((*RUN, "--xyzzy"), "there is no option --xyzzy; `editscope run --help` lists what there is\n"),
        ((*RUN, "--limit", "forty"), "--limit must be a whole number, not 'forty'\n"),
        ((*RUN, "--limit=1.5"), "--limit must be a whole number, not '1.5'\n"),
        ((*RUN, "-j", "two"), "--jobs must be a whole number, not 'two'\n"),
        ((*RUN, "--timeout", "soon"), "--timeout must be a number, not 'soon'\n"),
        ((*RUN, "--limit"), "requires an argument"),
    ],
)
def test_a_mistake_gets_one_sentence(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    assert ended.value.code == 2
    assert message in capsys.readouterr().err

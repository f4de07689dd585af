"""An engineer with a budget: a hosted editor and a judge, prices, a forecast, wrong keys, a limit in dollars."""

from __future__ import annotations

from support.judged_data import make_worldedit
from support.servers.editor_server import OpenAIServer
from support.servers.judge_server import Asked, JudgeServer, Outcome
from walks.pages import look
from walks.walk import Walk

ABOUT = "chooses between hosted models for a product and answers for the bill"

EDITOR_KEY = "sk-editor-key-that-nobody-may-see"
JUDGE_KEY = "sk-judge-key-that-nobody-may-see"

PRICES = """
[editors."gpt-image-1"]
picture = { default = 0.04, high = 0.17 }
source = "our contract with the vendor"
date = 2026-10-01

[models."gpt-4o"]
input = 2.5
output = 10.0
source = "our contract with the vendor"
date = 2026-10-01
"""


def walk(w: Walk) -> None:
    """From the first forecast to a comparison with its cost."""
    make_worldedit(w.place / "WorldEdit", 12)
    w.secrets += [EDITOR_KEY, JUDGE_KEY]
    with OpenAIServer(keys=[EDITOR_KEY], latency=0.02) as editor, JudgeServer(_strict, keys=[JUDGE_KEY]) as judge:
        fast = editor.spec(key_env="EDITOR_KEY")
        good = editor.spec(key_env="EDITOR_KEY", quality="high")
        asked = judge.spec(key_env="JUDGE_KEY")
        w.say("What can it run, and what would it cost?")
        w.type("editscope editors", shows=["openai"], again=True)
        w.type("editscope editors openai", shows=["OPENAI_API_KEY", "quality"], again=True)
        w.type("editscope suites worldedit", shows=["calls"], again=True)
        hosted = "editscope run worldedit --data WorldEdit --editor openai:gpt-image-1 --judge openai:gpt-4o --dry-run"
        w.type(hosted, shows=["key missing", "OPENAI_API_KEY", "$", "prices of 20"], again=True)
        w.type(f"{hosted} --batch", shows=["batch"])
        w.type(hosted.replace("gpt-4o", "gpt-99"), shows=["price unknown", "--prices"])

        w.say("Our own gateway, at our own prices")
        w.write("prices.toml", PRICES)
        base = f"editscope run worldedit --data WorldEdit --judge '{asked}' --prices prices.toml"
        w.type(f"{base} --editor '{fast}' --dry-run", shows=["key missing", "EDITOR_KEY", "JUDGE_KEY", "our contract"])
        w.type(f"{base} --editor '{fast}&qualty=high'", code=2, shows=["qualty", "quality"])
        w.type(f"{base} --editor '{fast}&quality=best'", code=2, shows=["best", "high"])
        w.type(f"{base} --editor '{fast}' --bugdet 3", code=2, shows=["--budget"])
        w.env |= {"EDITOR_KEY": "sk-wrong", "JUDGE_KEY": JUDGE_KEY}
        w.type(f"{base} --editor '{fast}' --yes", code=2, shows=["EDITOR_KEY"], lacks=["sk-wrong"])
        w.env |= {"EDITOR_KEY": EDITOR_KEY, "JUDGE_KEY": "sk-wrong"}
        w.type(f"{base} --editor '{fast}' --yes", code=2, shows=["JUDGE_KEY"], lacks=["sk-wrong"])
        w.env |= {"JUDGE_KEY": JUDGE_KEY}
        w.expect(editor.calls == 0, "no edit was paid for so far")

        w.say("A question before money is spent")
        w.type(f"{base} --editor '{fast}' --out runs/fast", code=2, keys=[("[y/N]", "\n")], shows=["Spend about $"])
        w.script(f"{base} --editor '{fast}' --out runs/fast", code=2, shows=["--yes", "--budget"])
        w.expect(editor.calls == 0, "nothing was spent without a yes")
        w.type(
            f"{base} --editor '{fast}' --out runs/fast --budget 0.3", code=3, keys=[("[y/N]", "y\n")], shows=["$0.30"]
        )
        w.type("editscope resume runs/fast --budget 3 --dry-run", shows=["spent so far", "budget $3.00"])
        w.type("editscope resume runs/fast --budget 3", keys=[("[y/N]", "y\n")], shows=["editscope report runs/fast"])
        calls = editor.calls
        w.expect(calls == 12, f"every edit was paid for once, not {calls} for 12")

        w.say("Two settings against each other")
        both = f"{base} --editor '{fast}' --editor '{good}' --out runs/both --budget 5"
        w.type(both, keys=[("[y/N]", "y\n")], shows=["Spend about $"])
        w.type("ls runs/both")
        w.type("editscope report runs/both/* --out both.html", makes=["both.html"])
        look(w, "both.html")

        w.say("One edit that a customer complained about")
        one = (
            "editscope judge one --source WorldEdit/complaint-before.png --edit WorldEdit/complaint-after.png "
            f"--instruction 'Make the sign say GO.' --judge '{asked}' --prices prices.toml"
        )
        _complaint(w)
        w.type(f"{one} --dry-run", shows=["$"])
        w.type(one, keys=[("[y/N]", "y\n")], shows=["$"])


def _strict(asked: Asked) -> Outcome:
    """A judge that is of two minds: values from the upper half of each scale, by the number of the call."""
    from support.servers.judge_server import agreeable

    values = agreeable(asked)
    assert isinstance(values, dict)
    lower = asked.number % 3 == 0
    return {name: value - 1 if lower and type(value) is int else value for name, value in values.items()}


def _complaint(w: Walk) -> None:
    from support.judged_data import draw

    draw(w.place / "WorldEdit" / "complaint-before.png", 1)
    draw(w.place / "WorldEdit" / "complaint-after.png", 2)

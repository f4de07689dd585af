"""Repeats in summary.json: the spread over repeats apart from the spread over cases, and the best of k."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from editscope.cases import Aggregation
from editscope.runfolder.repeats import REPEAT
from editscope.wording import share_in_words


def about_repeats(
    columns: Mapping[str, list[Any]],
    aggregation: Aggregation,
    metrics: Sequence[str],
    repeats: int,
    right: float,
) -> dict[str, Any]:
    """The part ``repeats`` of a summary; nothing for a run without them.

    ``spread`` has for each metric the standard deviation over cases and that over the repeats of one case, each with
    its interval, and which share of the variance the latter is. ``means`` are the overall means of the headline in
    each repeat. ``best_of`` and ``worst_of`` are the headline when the best or the worst of k edits of a case counts,
    ``pass`` the share of cases with a right one among k, for k from 1 to the number of repeats; an edit is right from
    the headline ``right`` on, a fraction.
    """
    if repeats < 2:
        return {}
    from editscope.stats.over_repeats import by_repeat, repeat_curves, spread_over_repeats
    from editscope.stats.repeats import repeat_means
    from editscope.stats.summary import shown

    scores = {metric: by_repeat(columns, metric, aggregation.exclude, tag=REPEAT) for metric in metrics}
    spread = {metric: found for metric in metrics if (found := spread_over_repeats(scores[metric], metric))}
    headline = aggregation.headline
    if not any(scores[headline].values()):
        return {"repeats": {"k": repeats, "spread": spread}}
    curves = repeat_curves(columns, aggregation, headline, scores[headline], repeats, right)
    means = repeat_means(columns, aggregation, headline, tag=REPEAT)
    return {
        "repeats": {
            "k": repeats,
            "spread": spread,
            "means": [round(mean, 9) for _, mean in means.means],
            "best_of": curves["best_of"],
            "worst_of": curves["worst_of"],
            "pass": {"metric": headline, "from": shown(right, headline), "at": curves["pass"]},
        }
    }


def repeats_in_words(summary: Mapping[str, Any], name: str) -> str:
    """The two spreads and what several tries are worth, in a line; nothing for a run without repeats.

    ``name`` is what the headline is called.
    """
    repeats = summary.get("repeats")
    if repeats is None:
        return ""
    spread = repeats["spread"].get(repeats.get("pass", {}).get("metric"))
    if spread is None:
        return f"{repeats['k']} repeats: too few are done to tell their spread"
    share = spread["within"]["share"]
    apart = f"one case varies by ± {_brief(spread['repeats']['sd'])} ({share_in_words(share)} of the variance)"
    parts = [f"{repeats['k']} repeats: {apart}, cases by ± {_brief(spread['cases']['sd'])}"]
    last = repeats["best_of"][-1], repeats["worst_of"][-1]
    if all(cell["mean"] is not None for cell in last):
        best, worst = (_brief(cell["mean"]) for cell in last)
        parts.append(f"best of {repeats['k']} {best}, worst {worst}")
    right = repeats["pass"]["at"]
    if right[-1]["mean"] is not None:
        at = f"{name} from {_brief(repeats['pass']['from'])}"
        parts.append(f"pass@1 {_brief(right[0]['mean'])}, pass@{repeats['k']} {_brief(right[-1]['mean'])} ({at})")
    return " · ".join(parts)


def _brief(value: float) -> str:
    """A figure with one decimal, or two where it is small: measures from 1 to 5 are.

    >>> _brief(41.26), _brief(0.084), _brief(90.0)
    ('41.3', '0.08', '90')
    """
    return f"{value:.0f}" if value == round(value) else f"{value:.{2 if abs(value) < 10 else 1}f}"

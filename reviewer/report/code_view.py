"""What the report says of the code behind a series: how much of it was seen, and whether the series applies."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from reviewer.model import FileContext, Report, Rung, Series, Trial

_WORDS: dict[Rung, str] = {
    "blob": "as the author had it",
    "base": "by context on the base commit",
    "named": "by context on a named commit",
    "new": "new",
    "hunk": "hunks only",
}
_REASONS = {
    "absent": "there is no such file",
    "exists": "the file is there already",
    "context": "its lines differ",
    "applied-already": "it is there already",
    "no-context": "it has no context to find its place by",
    "binary": "a binary patch",
    "blob-missing": "the tree lacks the version that the patch names",
    "no-index": "the patch does not name the version that it is based on",
    "ambiguous": "the id of the version that it is based on fits several",
    "too-large": "too large",
    "damaged": "the tree is damaged there",
    "patch-missing": "an earlier patch is missing",
    "hash-differs": "the result is not what the patch says that it makes",
    "no-base": "nothing names what it is based on, see --apply-to",
    "no-commit": "the tree has no such commit",
}
_MOST = 3

NOT_TRIED = Trial(state="not-tried", reason="no-tree")
"""What holds of a series when there is no tree."""


class CodeView(Struct, frozen=True, kw_only=True):
    """`seen` counts the files of all patches by how they were seen; `problems` are (places, reason), `more` not shown.

    `trial` is whether the series applies, in words, behind "applies:".
    """

    seen: tuple[tuple[int, str], ...]
    problems: tuple[tuple[str, str], ...]
    more: int
    trial: str


def code_view(series: Series, report: Report) -> CodeView | None:
    """The view of one series; None when there was no tree to look into."""
    trial = report.trials.get(series.outline.id, NOT_TRIED)
    if trial.reason == NOT_TRIED.reason:
        return None
    found = [
        (patch.number, context)
        for patch in series.patches
        for context in report.contexts.get((patch.mail.message_id, patch.number), ())
    ]
    counts = Counter(context.rung for _, context in found)
    problems = [(f"patch {number}, {one.path}", _problem(one)) for number, one in found if _problem(one)]
    alike: dict[str, list[str]] = {}
    for place, reason in problems[:_MOST]:
        alike.setdefault(reason, []).append(place)
    return CodeView(
        seen=tuple((counts[rung], words) for rung, words in _WORDS.items() if counts[rung]),
        problems=tuple((" and ".join(places), reason) for reason, places in alike.items()),
        more=max(0, len(problems) - _MOST),
        trial=_trial(trial),
    )


def _problem(context: FileContext) -> str:
    # By context on another commit the result is never the author's, and that is no surprise.
    expected = context.rung in ("base", "named") and context.problem == "hash-differs"
    said = "" if expected else _REASONS.get(context.problem, context.problem)
    fuzz = f"fuzz {context.fuzz}" if context.fuzz else ""
    return ", ".join(filter(None, (said, fuzz)))


def _trial(trial: Trial) -> str:
    commit = f" ({trial.commit[:12]})" if trial.commit and not trial.commit.startswith(trial.revision) else ""
    where = f"{trial.revision[:40]}{commit}"
    reason = _REASONS.get(trial.reason, trial.reason)
    if trial.state == "applies":
        if trial.fuzz:
            return f"yes, to {where}, but only with fuzz {trial.fuzz}, so not with git am"
        return f"yes, to {where}" + (f", lines are off by up to {abs(trial.offset)}" if trial.offset else "")
    if trial.state == "not-tried":
        return f"not tried{' on ' + where if where else ''}: {reason}"
    place = f"{trial.file}, hunk {trial.hunk}" if trial.hunk else f"{trial.file}"
    return f"not to {where}: patch {trial.number}, {place}: {reason}"

"""Which commit a series is laid on, and which patches it wants below it."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.code.versions import Start, Tree
from reviewer.model import Rung, Series
from reviewer.repository import Repository


def starts(series: Series, repository: Repository, tree: Tree) -> Iterator[Start]:
    """The commits that `series` may start from, the likeliest first.

    These are its base commit, the branch of `tree` for a tag of its subject (such as net-next), and the base that the
    user names: each as far as the repository has it.
    """
    branches = [tree.branches[tag] for tag in _tags(series) if tag in tree.branches]
    for name in (series.base_commit, *branches, tree.base):
        rung: Rung = "base" if name == series.base_commit else "named"
        commit = repository.resolve(name) if name else None
        if name and commit:
            yield Start(commit=commit, revision=name, rung=rung)


def prerequisites(series: Series) -> tuple[str, ...]:
    """The patch-ids that the series says it needs below it (`git format-patch --base`), in order, each once."""
    texts = [*([series.cover.text] if series.cover else []), *(patch.text for patch in series.patches)]
    return tuple(dict.fromkeys(one for text in texts for one in text.prerequisites))


def _tags(series: Series) -> tuple[str, ...]:
    mails = [*([series.cover.mail] if series.cover else []), *(patch.mail for patch in series.patches)]
    return tuple(dict.fromkeys(token for mail in mails for token in mail.subject.tokens))

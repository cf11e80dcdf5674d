"""One object for words that return again and again in the mails of a thread."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=2048)
def shared(text: str) -> str:
    """`text`, as an object that was given before when it was given lately.

    Unlike `sys.intern`, whose table grows with every Message-ID of an archive.
    """
    return text

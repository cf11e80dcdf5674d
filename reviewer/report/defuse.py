"""The last look at the body of a mail of ours: no line of it may be taken for a tag, a command or a patch.

Programs read replies: git and b4 take `X-by: name <address>` for a tag and an unquoted diff for a patch, patchwork's
bot obeys `pw-bot:`, syzbot `#syz`. Lines that we quote start with `> ` and are safe.
"""

from __future__ import annotations

import re

_COMMANDS = re.compile(
    r"\s*(?:"
    r"diff -|---|\+\+\+|\*\*\*|@@|index:|git binary patch|"
    r"#\w|pw-bot\b|"
    r"[\w -]{1,40}-by\s*:|"
    r"(?:fixes|closes|link|buglink|change-id|base-commit|obsoleted-by|message-id|from|cc|to|subject|date)\s*:|"
    r"\w\S{0,60}:\s.*@|"
    r"<[^>]*>\s*$|"
    r"\d+ files? changed|\d+ files?\b.*\d+ (?:insertion|deletion)"
    r")",
    re.IGNORECASE,
)
_LONGEST = 400

BAR = "| "


def defused(body: str) -> str:
    """The body, with `| ` before each line of ours that a program could act upon; ends in one newline."""
    lines = [BAR + line if _is_dangerous(line) else line for line in body.rstrip().split("\n")]
    return "\n".join(lines) + "\n"


def _is_dangerous(line: str) -> bool:
    return not line.startswith(">") and _COMMANDS.match(line[:_LONGEST]) is not None

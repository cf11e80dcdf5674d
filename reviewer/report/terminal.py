"""The text forms in colour: the only module of the report that knows rich."""

from __future__ import annotations

from rich.color import ColorSystem
from rich.style import Style

from reviewer.report.painting import STYLES, Paint


def painter() -> Paint:
    """What gives text its style by escape sequences.

    The sixteen colours of the terminal itself are used, so that they fit its background. The text is taken as it is:
    nothing in it is markup.
    """
    styles = {name: Style.parse(words) for name, words in STYLES.items()}

    def paint(text: str, style: str) -> str:
        return styles[style].render(text, color_system=ColorSystem.STANDARD)

    return paint

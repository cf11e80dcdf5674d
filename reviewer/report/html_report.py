"""The report as one HTML page that needs nothing else: no network, no scripts but its own, nothing of a mail but text.

The page names the hashes of its style sheet and script in a Content-Security-Policy, so that a browser runs and loads
nothing beside them, whatever stands in a mail.
"""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from pathlib import Path

from markupsafe import Markup

from reviewer.model import Confidence, Report
from reviewer.report.filling import Medium, Template, as_it_stands
from reviewer.report.html_chart import Chart
from reviewer.report.html_escape import html, html_prose, html_text, without_hidden
from reviewer.report.html_rows import excerpt_html, lines_html, rows_html
from reviewer.report.html_svg import chart_svg, title_of
from reviewer.report.html_view import page


def to_html(report: Report, *, templates: Path | None, min_confidence: Confidence, show_accepted: bool = False) -> str:
    """The report as a page of HTML 5. UsageError for a broken template."""
    style, script = (as_it_stands(name, templates).strip() for name in ("html.css", "html.js"))
    filled = Template("html.j2", templates, _MEDIUM).fill(
        page=page(report, min_confidence, show_accepted=show_accepted),
        policy=policy(style, script),
        style=Markup(style),
        script=Markup(script),
    )
    return without_hidden(filled)


def policy(style: str, script: str) -> str:
    """The Content-Security-Policy of a page with this style sheet and script, and nothing else that is active."""
    return (
        f"default-src 'none'; style-src {_source(style)}; script-src {_source(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _source(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _charted(chart: Chart) -> str:
    return html(title_of(chart))


_MEDIUM = Medium(
    escape=html,
    filters={
        "prose": html_prose,
        "said": html_text,
        "rows": rows_html,
        "lines": lines_html,
        "excerpt": excerpt_html,
        "chart": chart_svg,
        "charted": _charted,
    },
    markup=True,
)

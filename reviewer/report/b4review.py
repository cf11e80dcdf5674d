"""Review files of b4 (`.git/b4-review/<tip of the review branch>/`, see FORMATS.md): each patch with remarks in it.

b4 reads lines behind `> ` as the diff, counting them, and all others as remarks on the line above. Hence all lines of
the diff are there, and no line of ours begins with `>`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from reviewer.errors import UsageError
from reviewer.model import Confidence, FileDiff, Finding, Notice, Patch, Report, Series
from reviewer.report.b4check import heading, summary
from reviewer.report.defuse import defused
from reviewer.report.escape import visible, visible_code
from reviewer.report.layout import adds, shortened, wrapped
from reviewer.report.standing import TROUBLE, newest, standing

IDENTITY = "Reviewer <reviewer@reviewer.invalid>"
"""Whose remarks they are: b4 wants a name and an address, and keeps reviews by address."""
COLUMNS = 72
_LONGEST = 2000
_LAST = 9999
"""b4 knows files of four digits."""


def to_review_files(report: Report, *, min_confidence: Confidence) -> dict[str, str]:
    """The files by name: identity.txt, series.txt, and one for each patch that there is something to say of.

    Raises UsageError when the report is not of one series, since b4 has one branch for each.
    """
    found = newest(report)
    if len(found) != 1:
        raise UsageError(f"b4-review is for one series, and here are {len(found)}; choose one with --message-id")
    (series,) = found
    of_mail: dict[str, list[Finding]] = {}
    for finding in standing(report, min_confidence):
        of_mail.setdefault(finding.patch, []).append(finding)
    files = {"identity.txt": f"{IDENTITY}\n", "series.txt": _series(series, of_mail, report)}
    for patch in series.patches:
        findings = of_mail.get(patch.mail.message_id, ())
        if findings and patch.number <= _LAST:
            files[f"{patch.number:04}.txt"] = _patch(patch, findings)
    return files


def _series(series: Series, of_mail: Mapping[str, Sequence[Finding]], report: Report) -> str:
    """What there is to say of the whole: how much was found, the cover letter, and what went wrong."""
    every = [finding for findings in of_mail.values() for finding in findings]
    notices = [notice for notice in report.notices if notice.code in TROUBLE]
    own = of_mail.get(series.cover.mail.message_id, ()) if series.cover else ()
    told: set[str] = set()
    said = [_counted(every, notices, complete=report.complete) or "nothing found"]
    said += [_entry(finding, told) for finding in own]
    said += [_wrap(f"{notice.code}: {notice.message}") for notice in notices]
    unchecked = sorted({notice.message for notice in report.notices if notice.code == "not-checked"})
    if unchecked:
        said.append(_wrap(f"not checked: {'; '.join(unchecked)}"))
    return _unquoted("\n\n".join(said))


def _counted(findings: Sequence[Finding], notices: Sequence[Notice], *, complete: bool) -> str:
    own = [finding for finding in findings if finding.origin == "introduced"]
    return summary(own, len(findings) - len(own), notices, complete=complete)


def _patch(patch: Patch, findings: Sequence[Finding]) -> str:
    """The overall note, then the diff with the remarks below the lines that they are about."""
    anchors = {line: anchor for file in patch.files for line, anchor in _anchors(file)}
    below: dict[int, list[Finding]] = {}
    apart: list[Finding] = []
    for finding in findings:
        at = finding.location
        anchor = anchors.get(at.body_line or 0) if at.kind == "code" and at.part == patch.text.part else None
        if anchor is None:
            apart.append(finding)
        else:
            below.setdefault(anchor, []).append(finding)
    told: set[str] = set()
    note = [_counted(findings, (), complete=True), *(_entry(finding, told) for finding in apart)]
    remarks = {line: "\n\n".join(_remark(one, told) for one in below[line]) for line in sorted(below)}
    return _unquoted("\n\n".join(note)) + "\n" + "".join(_diff(patch, remarks))


def _anchors(file: FileDiff) -> Iterator[tuple[int, int]]:
    """Lines of the mail that belong to a file, with the lines of hunks below which b4 takes a remark on them.

    Those of the headers are not among the latter: b4 would take the line before for that which is remarked on.
    """
    start = file.body_line
    for hunk in file.hunks:
        if hunk.lines:
            first = hunk.lines[0].body_line
            yield from ((line, first) for line in range(start, first))
            yield from ((line.body_line, line.body_line) for line in hunk.lines)
            start = hunk.lines[-1].body_line + 1


def _diff(patch: Patch, remarks: Mapping[int, str]) -> Iterator[str]:
    """The lines of the diff behind `> `, each followed by the remarks on it, by its number."""
    lines = patch.text.diff
    if not lines or not lines[0].text.startswith("diff --git "):
        yield from (f"> diff --git a/{visible(file.old_path)} b/{visible(file.path)}\n" for file in patch.files[:1])
    last = max((line.body_line for file in patch.files for hunk in file.hunks for line in hunk.lines), default=0)
    for line in lines:
        if line.body_line > last and line.text.rstrip() == "--":  # the signature of the mail
            return
        # b4 splits lines at more characters than LF: what is hidden could become a remark.
        yield f"> {visible_code(line.text.removesuffix(chr(13)))}\n" if line.text else ">\n"
        if line.body_line in remarks:
            yield f"\n{_unquoted(remarks[line.body_line])}\n"


def _remark(finding: Finding, told: set[str]) -> str:
    reason = _reason(finding, told)
    said = [_wrap(finding.message), _wrap(reason)] if reason else [_wrap(finding.message)]
    sure = "" if finding.confidence == "high" else f", {finding.confidence} confidence"
    older = ", older than the series" if finding.origin == "preexisting" else ""
    return "\n\n".join([*said, _wrap(f"({finding.rule} {finding.name}, {finding.level}{sure}{older})")])


def _entry(finding: Finding, told: set[str]) -> str:
    """A remark that stands below no line of the diff."""
    text = finding.location.text.strip()
    quoted = [f"    {visible_code(shortened(text, COLUMNS))}"] if text else []
    said = _wrap(f"{finding.message} {_reason(finding, told)}", indent=2)
    return "\n".join([heading(finding, ""), *quoted, said])


def _reason(finding: Finding, told: set[str]) -> str:
    """Why a finding matters, once for each rule, `told` being those whose reason was given."""
    new = finding.rule not in told and adds(finding.why, finding.message)
    told.add(finding.rule)
    return finding.why if new else ""


def _wrap(text: str, indent: int = 0) -> str:
    return wrapped(visible(shortened(text, _LONGEST)), width=COLUMNS, indent=indent)


def _unquoted(text: str) -> str:
    """Text of ours in which b4 and what it sends sees neither a quote nor a tag nor a patch; ends in one newline."""
    return defused("\n".join(f" {line}" if line.startswith(">") else line for line in text.split("\n")))

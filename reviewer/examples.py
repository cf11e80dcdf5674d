"""Runs the examples of rules: each becomes real mail, goes through the real readers, and must give its findings."""

from __future__ import annotations

import difflib
import hashlib
import inspect
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from reviewer.engine import review
from reviewer.mail.body import text_parts
from reviewer.mail.parse import parse_mail
from reviewer.model import Finding, Mail, Report
from reviewer.registry import examples_of
from reviewer.renaming import new_names, renamed, reordered, vocabulary
from reviewer.rule import Example, Rule
from reviewer.series.assemble import assemble
from reviewer.series.opening import open_series


class Failure(Struct, frozen=True, kw_only=True):
    """An example that did not give what it says. `variant` is "as written", "renamed" or "reordered"."""

    rule: str
    example: int
    variant: str
    reason: str


def failures(rule: Rule) -> Iterator[Failure]:
    """Everything that is wrong with the examples of `rule`; none when all is well."""
    examples = examples_of(rule)
    kinds = {example.kind for example in examples}
    for kind in ("bad", "good", "look-alike"):
        if kind not in kinds:
            yield Failure(rule=rule.id, example=0, variant="as written", reason=f"has no {kind} example")
    keep = vocabulary(_spoken_in(rule))
    for number, example in enumerate(examples, 1):
        if (example.kind == "bad") != bool(example.finds):
            reason = f"a {example.kind} example with {len(example.finds)} finding(s)"
            yield Failure(rule=rule.id, example=number, variant="as written", reason=reason)
        for variant, form in variants(example, rule, keep):
            for reason in _differences(rule, form):
                yield Failure(rule=rule.id, example=number, variant=variant, reason=reason)


def variants(example: Example, rule: Rule, keep: frozenset[str]) -> Iterator[tuple[str, Example]]:
    """The example as written, with other names, and with another order where that is not what the rule is about."""
    yield "as written", example
    texts = [text for patch in example.patches for _, *sides in patch.files for text in sides if text is not None]
    names = new_names(texts, keep)
    yield "renamed", _mapped(example, lambda text: renamed(text, names))
    if not rule.about_order:
        yield "reordered", _mapped(example, reordered)


def _spoken_in(rule: Rule) -> list[Path]:
    """The modules whose words a rule may name: its own, its family's tables, the kit and the C normaliser."""
    own = Path(inspect.getfile(type(rule)))
    package = Path(__file__).parent
    return [
        own,
        *sorted(own.parent.glob("_*.py")),
        *sorted(package.glob("kit/*.py")),
        *sorted(package.glob("code/*.py")),
    ]


def _mapped(example: Example, change: Callable[[str], str]) -> Example:
    def side(text: str | None) -> str | None:
        return None if text is None else change(text)

    patches = tuple(
        replace(
            patch,
            files=tuple((path, side(before), side(after)) for path, before, after in patch.files),
            message=change(patch.message),
        )
        for patch in example.patches
    )
    finds = tuple(replace(find, line=change(find.line)) for find in example.finds)
    return replace(example, patches=patches, finds=finds)


def run_example(rule: Rule, example: Example) -> tuple[Report, dict[str, Mail]]:
    """The report of `rule` alone on the mails of `example`, and these mails by Message-ID."""
    mails: dict[str, Mail] = {}
    for position, data in enumerate(mails_of(example)):
        mail = parse_mail(data, "example", position, partial(bytes, data))
        if not isinstance(mail, Mail):
            raise TypeError(f"the example's mail cannot be read: {mail.message}")
        mails[mail.message_id] = mail
    assembly = assemble(mails.values())
    outlines = [outline for lineage in assembly.lineages for outline in lineage.outlines]
    return review(assembly, [open_series(outline) for outline in outlines], (rule,), ()), mails


def _differences(rule: Rule, example: Example) -> Iterator[str]:
    report, mails = run_example(rule, example)
    yield from (notice.message for notice in report.notices if notice.code != "not-checked")
    lacks = any(notice.code == "not-checked" for notice in report.notices)
    if lacks != example.lacks:
        yield "says that it lacks context" if lacks else "does not say that it lacks context"
    expected: dict[tuple[str, int], str] = {}
    for find in example.finds:
        patch = _message_id(find.patch)
        lines = [number for number, text in _lines(mails[patch]) if find.line in text]
        if len(lines) != 1:
            yield f"{find.line!r} stands on {len(lines)} lines of the mail, must be one"
            continue
        expected[patch, lines[0]] = find.level or rule.level
    found = {(finding.patch, finding.location.body_line or 0): finding for finding in report.findings}
    for key in sorted(expected.keys() - found.keys()):
        yield f"no finding on {dict(_lines(mails[key[0]]))[key[1]]!r}"
    for key, finding in sorted(found.items()):
        if key not in expected:
            yield f"unexpected {_told(finding)}"
        elif expected[key] != finding.level:
            yield f"{expected[key]} expected, got {_told(finding)}"


def _told(finding: Finding) -> str:
    return f"{finding.level} on {finding.location.text!r}: {finding.message}"


def _lines(mail: Mail) -> list[tuple[int, str]]:
    return [*enumerate(text_parts(mail)[0].text.split("\n"), 1)]


def _message_id(number: int) -> str:
    return f"{number}.example@examples.example"


def mails_of(example: Example) -> Iterator[bytes]:
    """The mails of an example, as git would send them: a cover when there is one, then the patches."""
    total = len(example.patches)
    counted = total > 1 or example.cover is not None
    if example.cover is not None:
        yield _mail(0, f"[PATCH net-next 0/{total}] {example.cover_subject}", example.cover, parent=None)
    root = 1 if example.cover is None else 0
    for number, patch in enumerate(example.patches, 1):
        tag = f"[PATCH net-next {number}/{total}]" if counted else "[PATCH net-next]"
        message = patch.message.rstrip("\n")
        files = [file for file in patch.files if file[1] != file[2]]
        diffs = [_file_diff(*file, example.context) for file in files]
        stat = patch.diffstat if patch.diffstat is not None else _diffstat([path for path, _, _ in files], diffs)
        body = f"{message}\n\nSigned-off-by: A Uthor <a@dev.example>\n---\n{patch.notes}{stat}\n{''.join(diffs)}"
        yield _mail(number, f"{tag} {patch.subject}", body, parent=root if number != root else None)


def _mail(number: int, subject: str, body: str, *, parent: int | None) -> bytes:
    above = "" if parent is None else f"In-Reply-To: <{_message_id(parent)}>\nReferences: <{_message_id(parent)}>\n"
    head = (
        f"From: A Uthor <a@dev.example>\nSubject: {subject}\nDate: Mon, 5 Jan 2026 10:00:{number:02} +0000\n"
        f"Message-ID: <{_message_id(number)}>\n{above}MIME-Version: 1.0\n"
        "Content-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n"
    )
    return f"{head}\n{body}-- \n2.47.0\n".encode()


def _file_diff(path: str, before: str | None, after: str | None, context: int) -> str:
    old = [] if before is None else before.splitlines(keepends=True)
    new = [] if after is None else after.splitlines(keepends=True)
    ids = f"index {_blob(before)}..{_blob(after)}"
    head = f"diff --git a/{path} b/{path}\n"
    if before is None:
        head += f"new file mode 100644\n{ids}\n"
    elif after is None:
        head += f"deleted file mode 100644\n{ids}\n"
    else:
        head += f"{ids} 100644\n"
    left = "/dev/null" if before is None else f"a/{path}"
    right = "/dev/null" if after is None else f"b/{path}"
    lines: list[str] = []
    for line in difflib.unified_diff(old, new, left, right, n=context):
        if line.startswith("@@"):
            lines.append(line.rstrip("\n") + _section(line, old) + "\n")
        else:
            lines.append(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n")
    return head + "".join(lines)


def _section(header: str, old: list[str]) -> str:
    """What git prints behind a hunk's counts: the last line before it that starts with a letter."""
    start = int(header.split()[1].lstrip("-").split(",")[0]) - 1
    heads = [line for line in old[: max(start, 0)] if line[:1].isalpha() or line[:1] in "_$"]
    return f" {heads[-1].rstrip()[:80]}" if heads else ""


def _blob(text: str | None) -> str:
    if text is None:
        return "0" * 12
    data = text.encode()
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()[:12]


def _diffstat(paths: list[str], diffs: list[str]) -> str:
    rows: list[str] = []
    added = removed = 0
    for path, diff in zip(paths, diffs, strict=True):
        marks = [line[0] for line in diff.split("\n@@", 1)[-1].split("\n")[1:] if line.startswith(("+", "-"))]
        added += marks.count("+")
        removed += marks.count("-")
        rows.append(f" {path} | {len(marks)} {'+' * min(marks.count('+'), 20)}{'-' * min(marks.count('-'), 20)}\n")
    total = f" {len(rows)} file{'s' * (len(rows) != 1)} changed"
    if added or not removed:
        total += f", {added} insertion{'s' * (added != 1)}(+)"
    if removed:
        total += f", {removed} deletion{'s' * (removed != 1)}(-)"
    return "".join(rows) + total + "\n"


def run_examples(rules: tuple[Rule, ...]) -> tuple[int, list[Failure]]:
    """The number of examples run, and what failed."""
    count = sum(len(examples_of(rule)) for rule in rules)
    found = [failure for rule in rules for failure in failures(rule)]
    return count, found

"""Files and mails as SARIF names them: artifacts, and places in them.

The address of a file is relative to `%SRCROOT%`, that of a mail, its Message-ID, to `MAIL`: services that take SARIF
refuse a whole log for one address of an unknown scheme, such as `mid:`, and for one result without an address.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from msgspec import Struct

from reviewer.diff.names import is_odd
from reviewer.model import FileDiff, FileStatus, Location, Mail, Report, Side
from reviewer.report.escape import visible, visible_code
from reviewer.report.layout import shortened

Json = dict[str, Any]

BASES: Json = {
    "%SRCROOT%": {"description": {"text": "The top folder of the source tree."}},
    "MAIL": {"description": {"text": "The mails of the series; the address of one is its Message-ID."}},
}
_ROLES: dict[FileStatus, str] = {
    "modified": "modified",
    "added": "added",
    "deleted": "deleted",
    "renamed": "renamed",
    "copied": "added",
    "mode": "modified",
}
_LONGEST_LINE = 400


class _Blob(Struct, frozen=True):
    """A file as one patch found or left it; `blob` is git's id of it, perhaps shortened, None when not known."""

    path: str
    blob: str | None


Key = _Blob | str


class Places(Struct, frozen=True, kw_only=True):
    """The artifacts of a run, in order. `indices` has the place of each, of mails by Message-ID.

    `files` are those of the patches by Message-ID and path.
    """

    artifacts: tuple[Json, ...]
    indices: Mapping[Key, int]
    files: Mapping[tuple[str, str], FileDiff]

    def mail(self, message_id: str) -> Json:
        """The `artifactLocation` of a mail."""
        return {"uri": _uri(message_id, ""), "uriBaseId": "MAIL", **self._index(message_id)}

    def file(self, path: str, side: Side, message_id: str) -> Json:
        """The `artifactLocation` of a file before (`old`) or after the patch in the mail `message_id`."""
        key = _blob(path, side, self.files.get((message_id, path)))
        return {"uri": _file_uri(key.path), "uriBaseId": "%SRCROOT%", **self._index(key)}

    def location(self, at: Location, message_id: str) -> Json:
        """The `location` of a place in the mail `message_id`, or in a file that its patch is about."""
        in_file = at.kind == "code" and at.file is not None
        line = at.line if in_file else at.body_line
        where = self.file(at.file or "", at.side or "new", message_id) if in_file else self.mail(message_id)
        physical = {"artifactLocation": where, **({"region": _region(line, at.text)} if line else {})}
        named = {"logicalLocations": [{"name": visible(at.function), "kind": "function"}]} if at.function else {}
        return {"physicalLocation": physical, **named}

    def _index(self, key: Key) -> Json:
        return {"index": self.indices[key]} if key in self.indices else {}


def places_of(report: Report) -> Places:
    """The mails of the series that were reviewed and the files that they change, as each patch leaves them.

    Other places that findings are about, such as files as a patch found them, come last.
    """
    files: dict[tuple[str, str], FileDiff] = {}
    found: dict[Key, Json] = {}
    for series in report.series:
        if series.cover:
            found.setdefault(series.cover.mail.message_id, _mail_artifact(series.cover.mail))
        for patch in series.patches:
            found.setdefault(patch.mail.message_id, _mail_artifact(patch.mail))
            for file in patch.files:
                files.setdefault((patch.mail.message_id, file.path), file)
                key = _blob(file.path, "old" if file.status == "deleted" else "new", file)
                found.setdefault(key, _file_artifact(key, _ROLES[file.status]))
    for finding in report.findings:
        for at in (finding.location, *finding.related):
            if at.kind == "code" and at.file is not None:
                key = _blob(at.file, at.side or "new", files.get((finding.patch, at.file)))
                found.setdefault(key, _file_artifact(key, ""))
    return Places(artifacts=tuple(found.values()), indices={key: at for at, key in enumerate(found)}, files=files)


def _blob(path: str, side: Side, file: FileDiff | None) -> _Blob:
    if file is None:
        return _Blob(path, None)
    return _Blob(file.old_path, file.old_blob) if side == "old" else _Blob(file.path, file.new_blob)


def _mail_artifact(mail: Mail) -> Json:
    return {
        "location": {"uri": _uri(mail.message_id, ""), "uriBaseId": "MAIL"},
        "description": {"text": visible(shortened(mail.subject.text))},
        "mimeType": "message/rfc822",
        "roles": ["analysisTarget"],
    }


def _file_artifact(key: _Blob, role: str) -> Json:
    hashes = {"hashes": {"git-blob": key.blob}} if key.blob and key.blob.strip("0") else {}
    return {
        "location": {"uri": _file_uri(key.path), "uriBaseId": "%SRCROOT%"},
        "roles": ["analysisTarget", *([role] if role else [])],
        **hashes,
    }


def _file_uri(path: str) -> str:
    return _uri(path, "" if is_odd(path) else "/")


def _uri(name: str, safe: str) -> str:
    """`name` as a relative address; without a safe `/`, nothing in it leads anywhere."""
    return quote(name, safe=safe, errors="replace") or "%00"


def _region(line: int, text: str) -> Json:
    shown = text.rstrip()
    if not shown or len(shown) > _LONGEST_LINE:
        return {"startLine": line}
    return {
        "startLine": line,
        "startColumn": len(shown) - len(shown.lstrip()) + 1,
        "endColumn": len(shown) + 1,
        "snippet": {"text": visible_code(shown)},
    }

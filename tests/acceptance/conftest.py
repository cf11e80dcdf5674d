"""A small series with an error and a warning, what people answer, and what the command says of both."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from reviewer.cli import main

ADA = "Ada Example <ada@frob.example>"
MIA = "Mia Example <mia@tree.example>"
OTTO = "Otto Example <otto@x.example>"
SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "report.schema.json").read_text())

ERRNO = (
    "diff --git a/net/frob/{name}.c b/net/frob/{name}.c\nindex 1111111..2222222 100644\n"
    "--- a/net/frob/{name}.c\n+++ b/net/frob/{name}.c\n"
    "@@ -{line},6 +{line},6 @@ int frob_{name}(struct frob *fb)\n {{\n \tif (!fb->ring)\n"
    "-\t\treturn -E2BIG;\n+\t\treturn {errno};\n \tfb->{name} = true;\n \treturn 0;\n }}\n"
)
"""DM302, a warning, for any errno; with -ENOTSUPP also DM303, an error."""


def send(ident: str, subject: str, body: str, *, parent: str = "", by: str = ADA, day: int = 3, more: str = "") -> str:
    above = f"In-Reply-To: <{parent}>\nReferences: <{parent}>\n" if parent else ""
    return (
        f"From: {by}\nSubject: {subject}\nMessage-ID: <{ident}>\nDate: {day} Feb 2026 10:00:00 +0000\n{above}{more}"
        f"Content-Type: text/plain; charset=utf-8\n\n{body}"
    )


def patch(errno: str = "-EINVAL", *, name: str = "open", line: int = 10, notes: str = "", message: str = "") -> str:
    said = f"{message}\n\n" if message else ""
    diff = ERRNO.format(errno=errno, name=name, line=line)
    return f"Part of it.\n\n{said}Signed-off-by: {ADA}\n---\n{notes}\n{diff}"


def series(
    version: int = 1, *, day: int = 3, by: str = ADA, first: str = "", second: str = "", **how: Any
) -> list[str]:
    """Cover, patch 1 with a warning (net/frob/open.c), patch 2 with a warning and an error (net/frob/close.c)."""
    mark = f"PATCH net-next v{version}" if version > 1 else "PATCH net-next"
    root = f"v{version}-0@frob.example"
    more = how.get("more", "")
    return [
        send(root, f"[{mark} 0/2] net: frob: all of it", "It is needed.\n", day=day, by=by, more=more),
        send(
            f"v{version}-1@frob.example",
            f"[{mark} 1/2] net: frob: open",
            first or patch(**{key: how[key] for key in ("notes", "message", "line") if key in how}),
            parent=root,
            day=day,
            by=by,
            more=more,
        ),
        send(
            f"v{version}-2@frob.example",
            f"[{mark} 2/2] net: frob: close",
            second or patch("-ENOTSUPP", name="close"),
            parent=root,
            day=day,
            by=by,
            more=more,
        ),
    ]


def reply(body: str, to: str = "v1-1@frob.example", *, by: str = ADA, ident: str = "r1@x.example", **how: Any) -> str:
    return send(ident, "Re: [PATCH net-next 1/2] net: frob: open", f"{body}\n", parent=to, by=by, day=4, **how)


class Desk:
    """Runs the command on mails and reads what it says."""

    send = staticmethod(send)
    patch = staticmethod(patch)
    series = staticmethod(series)
    reply = staticmethod(reply)

    def __init__(self, folder: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
        self.folder = folder
        self.code = 0
        self.said = ""
        self._capture = capsysbinary

    def text(self, mails: list[str], *options: str, rules: str = "DM302,DM303") -> str:
        """What `reviewer review` prints; `code` is its exit code, `said` what stands on standard error."""
        mbox = self.folder / "thread.mbox"
        escaped = (
            "\n".join(f">{line}" if line.startswith("From ") else line for line in one.split("\n")) for one in mails
        )
        mbox.write_bytes("".join(f"From x@y Thu Jan  1 00:00:00 1970\n{one}\n\n" for one in escaped).encode())
        self.code = main(["review", str(mbox), "--select", rules, *options])
        out, err = self._capture.readouterr()
        self.said = err.decode()
        return out.decode()

    def json(self, mails: list[str], *options: str, rules: str = "DM302,DM303") -> dict[str, Any]:
        """The JSON report, which fits its schema."""
        document: dict[str, Any] = json.loads(self.text(mails, "--format", "json", *options, rules=rules))
        jsonschema.validate(document, SCHEMA, format_checker=jsonschema.FormatChecker())
        return document

    def accepted(self, mails: list[str], *options: str, rules: str = "DM302,DM303") -> dict[tuple[str, str], str]:
        """The Message-ID or baseline by which each finding was accepted, empty for none, by rule and patch."""
        document = self.json(mails, *options, rules=rules)
        return {
            (one["rule"], one["patch"].partition("@")[0]): (
                (one["accepted"]["source"] or one["accepted"]["by"]) if one["accepted"] else ""
            )
            for one in document["findings"]
        }

    def notices(self, mails: list[str], *options: str, rules: str = "DM302,DM303") -> dict[str, list[str]]:
        """Messages of the notices about baselines and steering, by code."""
        found: dict[str, list[str]] = {}
        for one in self.json(mails, *options, rules=rules)["notices"]:
            if one["code"].startswith(("steering", "baseline")):
                found.setdefault(one["code"], []).append(one["message"])
        return found

    def maintained(self) -> tuple[str, ...]:
        """Options of a configuration that names Mia a maintainer."""
        path = self.folder / "reviewer.toml"
        path.write_text('[people]\nmaintainers = ["MIA@tree.example"]\n')
        return "--config", str(path)


@pytest.fixture
def desk(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> Desk:
    return Desk(tmp_path, capsysbinary)

"""A copy of real mail in which people, addresses, Message-IDs and the identifiers of the code are others.

What a rule finds must not hang on any of them. Names keep their length, so that lines and columns stay.
"""

from __future__ import annotations

import email
import email.policy
import re
from email.message import EmailMessage
from pathlib import Path

import reviewer
from reviewer.folders import shipped
from reviewer.renaming import new_names, renamed, vocabulary

ADDRESS = re.compile(r"[A-Za-z0-9._%+=-]+@[A-Za-z0-9.-]+\.[A-Za-z]+")
PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)+")


def disguised(mbox: bytes) -> bytes:
    """An mboxrd of the same mails, disguised."""
    mails = [
        email.message_from_bytes(re.sub(rb"^>(>*From )", rb"\1", part, flags=re.MULTILINE), policy=email.policy.default)
        for part in re.split(rb"^From mboxrd@z[^\n]*\n", mbox, flags=re.MULTILINE)
        if part.strip()
    ]
    bodies = [_body(mail) for mail in mails]
    package = Path(reviewer.__file__).parent
    sources = [path for top in (shipped("rules"), package / "kit", package / "code") for path in top.rglob("*.py")]
    paths = {word for body in bodies for path in PATH.findall(body) for word in re.findall(r"\w+", path)}
    keep = vocabulary(sources) | paths
    names = new_names([line for body in bodies for line in _code_lines(body)], keep)
    people = _people(mails)
    return b"".join(_posted(mail, body, names, people) for mail, body in zip(mails, bodies, strict=True))


def _body(mail: EmailMessage) -> str:
    part = mail.get_body(("plain",)) or mail
    return (part.get_payload(decode=True) or b"").decode("utf-8", "replace").replace("\r\n", "\n")


def _code_lines(body: str) -> list[str]:
    """Lines of hunks of C files, without their marks."""
    found: list[str] = []
    in_c = in_hunk = False
    for line in body.split("\n"):
        if line.startswith("diff --git"):
            in_c, in_hunk = line.endswith((".c", ".h")), False
        elif line.startswith("@@"):
            in_hunk = True
        elif line == "-- ":
            in_hunk = False
        elif in_c and in_hunk and line[:1] in "+- ":
            found.append(line[1:])
    return found


def _people(mails: list[EmailMessage]) -> dict[str, str]:
    """An invented name of as many words for every name in a From header."""
    found: dict[str, str] = {}
    for mail in mails:
        for address in mail["From"].addresses if mail["From"] else ():
            for word in re.findall(r"[^\W\d_]{3,}", address.display_name):
                found.setdefault(word, f"Q{_letters(len(found))}x")
    return found


def _letters(number: int) -> str:
    return chr(97 + number // 26) + chr(97 + number % 26)


def _posted(mail: EmailMessage, body: str, names: dict[str, str], people: dict[str, str]) -> bytes:
    def hidden(text: str) -> str:
        text = ADDRESS.sub(lambda found: f"id{_hash(found[0])}@list.example", text)
        return re.sub(r"[^\W\d_]{3,}", lambda found: people.get(found[0], found[0]), text)

    lines = body.split("\n")
    kept = ("diff --git", "--- ", "+++ ", "index ")
    text = "\n".join(hidden(line if line.startswith(kept) else renamed(line, names)) for line in lines)
    head = "From mboxrd@z Thu Jan  1 00:00:00 1970\n"
    for name in ("From", "Date", "Subject", "Message-ID", "In-Reply-To", "References"):
        if mail[name]:
            value = hidden(" ".join(str(mail[name]).split()))
            head += f"{name}: {value}\n"
    head += "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n"
    quoted = re.sub(r"^(>*From )", r">\1", text, flags=re.MULTILINE)
    return (head + quoted + "\n\n").encode()


def _hash(text: str) -> str:
    value = 0
    for character in text.lower():
        value = (value * 131 + ord(character)) % 0xFFFFFFFF
    return f"{value:08x}"

"""A git folder of ours that stands in for a repository: its objects and refs, and none of its configuration.

So nothing that a repository may be rigged with is even read: hooks, fsmonitor, filters, textconv, external diff,
aliases, pagers, credential helpers, ssh commands, included files, attributes, grafts, and the promisor remotes of a
partial clone, whose absent objects are then simply missing (GIT_NO_LAZY_FETCH is younger than the git of many).
"""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

from reviewer.errors import InputError
from reviewer.repository.place import Place, head_of, read_small
from reviewer.repository.process import Process

_MAX_CONFIG = 4 << 20
_FORMATS = {"objectformat": ("sha1", "sha256"), "refstorage": ("files", "reftable")}
_EMPTY_TREE = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
_CONFIG = """\
[core]
\trepositoryformatversion = 1
\tbare = false
\thooksPath = /dev/null
\tfsmonitor = false
\tpager = cat
\tlogAllRefUpdates = false
\tuseReplaceRefs = false
\tdisambiguate = blob
[protocol]
\tallow = never
[gc]
\tauto = 0
[extensions]
"""
_PLAIN = {
    **dict.fromkeys(("GIT_CONFIG_SYSTEM", "GIT_CONFIG_GLOBAL", "GIT_GRAFT_FILE"), os.devnull),
    **dict.fromkeys(("GIT_CONFIG_NOSYSTEM", "GIT_ATTR_NOSYSTEM", "GIT_NO_REPLACE_OBJECTS"), "1"),
    **dict.fromkeys(("GIT_NO_LAZY_FETCH", "GIT_LITERAL_PATHSPECS"), "1"),
    **dict.fromkeys(("GIT_OPTIONAL_LOCKS", "GIT_TERMINAL_PROMPT", "GIT_CONFIG_COUNT"), "0"),
    **dict.fromkeys(("GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"), "0"),
    **dict.fromkeys(("GIT_CONFIG_PARAMETERS", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE"), ""),
    **dict.fromkeys(("GIT_DIFF_OPTS", "GIT_PREFIX", "GIT_EXTERNAL_DIFF"), ""),
    **dict.fromkeys(("GIT_PAGER", "PAGER"), "cat"),
    "GIT_ALLOW_PROTOCOL": "none",
    "LC_ALL": "C",
    "TZ": "UTC",
}
# Hunk headings as in the mails of kernel developers, whatever the repository's attributes say.
_ATTRIBUTES = "*.c diff=cpp\n*.h diff=cpp\n"


class StandIn:
    """The folder, removed by `close`. Raises InputError when the repository's format cannot be told."""

    def __init__(self, place: Place) -> None:
        self._temporary = TemporaryDirectory(prefix="reviewer-git-")
        self.folder = Path(self._temporary.name)
        try:
            formats = _formats(place.common / "config", self.folder)
        except InputError:
            self.close()
            raise
        self.object_format = formats.get("objectformat", "sha1")
        extensions = "".join(f"\t{name} = {value}\n" for name, value in sorted(formats.items()))
        (self.folder / "config").write_text(_CONFIG + extensions, "utf-8")
        (self.folder / "HEAD").write_bytes(head_of(place.folder) or b"ref: refs/heads/absent\n")
        (self.folder / "info").mkdir()
        (self.folder / "info" / "attributes").write_text(_ATTRIBUTES, "utf-8")
        for path in (place.common / name for name in ("objects", "refs", "reftable")):
            if path.is_dir():
                (self.folder / path.name).symlink_to(path)
        files = (place.common / "packed-refs", place.common / "shallow", place.folder / "FETCH_HEAD")
        for path in (*files, place.folder / "ORIG_HEAD"):
            if path.is_file():
                (self.folder / path.name).symlink_to(path)

    def close(self) -> None:
        """Remove the folder; what it borrows stays."""
        self._temporary.cleanup()

    def environment(self) -> dict[str, str]:
        """What git must be told so that it looks at this folder only, whatever the process inherited."""
        here = str(self.folder)
        return {
            **_PLAIN,
            **dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE"), here),
            "GIT_OBJECT_DIRECTORY": str(self.folder / "objects"),
            "GIT_INDEX_FILE": str(self.folder / "index"),
            "GIT_SHALLOW_FILE": str(self.folder / "shallow"),
            "GIT_ATTR_SOURCE": _EMPTY_TREE[self.object_format],
        }


def _formats(config: Path, folder: Path) -> dict[str, str]:
    """The extensions that tell how objects and refs are stored. Included files are not read, as git itself has it."""
    text = read_small(config, _MAX_CONFIG)
    if text is None:
        if config.exists():
            raise InputError(f"{config} is no configuration file of git: name another clone")
        return {}
    if not any(name.encode() in text.lower() for name in _FORMATS):
        return {}
    question = ("config", "--file", str(config), "--no-includes", "--null", "--get-regexp", r"^extensions\.")
    process = Process(folder, question, {"GIT_DIR": str(folder), **_PLAIN}, talk=False)
    answer = process.stdout.read().decode("utf-8", "replace")
    if process.wait() not in (0, 1):
        raise InputError(f"{config}: git cannot read it ({process.complaint()})")
    found: dict[str, str] = {}
    for entry in answer.split("\0"):
        key, _, value = entry.partition("\n")
        name = key.removeprefix("extensions.")
        if name in _FORMATS:
            if value not in _FORMATS[name]:
                raise InputError(f"{config} asks for an unknown {name}: name another clone")
            found[name] = value
    return found

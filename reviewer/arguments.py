"""The options of each command and their help."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from reviewer import __version__
from reviewer.errors import UsageError
from reviewer.model import CONFIDENCES, LEVELS

REVIEW_EXAMPLES = """examples:
  reviewer review thread.mbox                    the latest version of every series in a thread
  reviewer review v1.mbox v2.mbox --revision all all versions that the files hold
  reviewer review - --message-id ID              standard input, only the series of one mail
  reviewer review thread.mbox --select DM3,extack --ignore DM306
  reviewer review thread.mbox --format reply -o drafts.mbox
  reviewer review thread.mbox --tree linux.git --apply-to net-next/main
  reviewer review list.mbox --since '2 weeks'    only series that somebody wrote about lately

exit codes: 0 nothing at or above --fail-on, 1 findings, 2 usage or input, 3 a rule crashed, 130 interrupted
"""

SERIES_EXAMPLES = """examples:
  reviewer series list.mbox                      what is in it, all versions of every series
  reviewer series list.mbox --since yesterday    only series that somebody wrote about since
  reviewer series - --message-id ID              standard input, only the series of one mail and its other versions
  reviewer series list.mbox --format json        the document of `reviewer review --format json`, without findings

exit codes: 0 printed, 2 usage or input, 130 interrupted
"""

COMPARE_EXAMPLES = """examples:
  reviewer compare v3.mbox v4.mbox               the newest version of each series against the one before it
  reviewer compare list.mbox --message-id ID     only the version that this mail belongs to
  reviewer compare thread.mbox --revision 3      v3 against v2; all compares every version with the one before it

exit codes: 0 printed, 2 usage or input (also: only one version is here), 3 a rule crashed, 130 interrupted
"""


class _Parser(argparse.ArgumentParser):
    def parse_known_args(  # type: ignore[override]  # the overloads of the base class are about other namespaces
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """As argparse, but sources may stand between options, and what is left over is an error of the command."""
        known, extra = super().parse_known_args(args, namespace or argparse.Namespace())
        if any(word.startswith("-") and word != "-" for word in extra) or not hasattr(known, "sources"):
            if extra:
                self.error(f"unrecognized arguments: {' '.join(extra)}")
        else:
            known.sources += extra
        return known, []

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see `{self.prog} --help`")


def _path(word: str) -> Path:
    """A path that an option takes; an empty one, which an unset variable leaves, is not the current folder."""
    if not word:
        raise argparse.ArgumentTypeError("the path is empty")
    return Path(word)


def parser() -> argparse.ArgumentParser:
    """The parser of the command line; its errors are UsageErrors."""
    top = _Parser(prog="reviewer", description="Review patch series as they were posted on a mailing list.")
    top.add_argument("--version", action="version", version=f"reviewer {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=_Parser)
    review = commands.add_parser(
        "review",
        help="review the series in a thread",
        description="Read mail, put the series together, check it, and print a review.",
        epilog=REVIEW_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_review_options(review)
    series = commands.add_parser(
        "series",
        help="show the series in a thread",
        description="Read mail, put the series together, and print what was found: versions, patches, what is\n"
        "missing, tags, objections, what was applied, and mail that belongs to none.",
        epilog=SERIES_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_source_options(series, revision="all")
    _add_output_options(series)
    series.add_argument("--format", default="text", choices=("text", "json"), help="text or json (text)")
    compare = commands.add_parser(
        "compare",
        help="compare versions of a series",
        description="Read mail, put the series together, and print what differs from one version to the next:\n"
        "patches, findings, tags, what became of each remark, and where the changelog and the change\n"
        "disagree.",
        epilog=COMPARE_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_source_options(compare, revision="latest")
    _add_rule_options(compare)
    _add_confidence_option(compare)
    _add_output_options(compare)
    compare.add_argument("--format", metavar="FORMAT", default="text", help="text, markdown or json (text)")
    rules = commands.add_parser("rules", help="list the rules", description="List the rules, one a line.")
    _add_rule_options(rules)
    rules.add_argument("--markdown", action="store_true", help="print the rule book as Markdown (docs/rules.md)")
    explain = commands.add_parser("explain", help="show one rule", description="Show a rule, its reason and examples.")
    explain.add_argument("rule", metavar="ID", help="id or name of a rule, such as DM302 or errno-silently-changed")
    explain.add_argument("--rules", action="append", default=[], type=_path, metavar="DIR", help="more rules in DIR")
    test = commands.add_parser(
        "test",
        help="run the examples of rules",
        description="Run the examples of the rules in DIR, each also with its identifiers renamed and its independent "
        "declarations reordered. For plugin authors.",
    )
    test.add_argument("folder", nargs="?", type=_path, metavar="DIR", help="a folder of rules (default: the shipped)")
    return top


def _add_source_options(command: argparse.ArgumentParser, *, revision: str) -> None:
    command.add_argument(
        "sources",
        nargs="+",
        metavar="SOURCE",
        help="an mbox (also packed), a mail, a maildir, a public-inbox, a saved page, a feed, an address, "
        "a Message-ID, git:BASE..HEAD, or - for standard input",
    )
    command.add_argument("--message-id", metavar="ID", help="only the series that this mail belongs to")
    command.add_argument(
        "--since", metavar="DATE", help="only series with mail from then on: 2026-02-28, yesterday, '2 weeks'"
    )
    command.add_argument(
        "--revision", default=revision, metavar="latest|N|all", help=f"which versions of each ({revision})"
    )


def _add_confidence_option(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--min-confidence", default="medium", choices=CONFIDENCES[::-1], help="show from here on (medium)"
    )


def _add_output_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--templates", type=_path, metavar="DIR", help="your own templates, each instead of the shipped one"
    )
    command.add_argument("-o", "--output", type=_path, metavar="FILE", help="write the report there")


def _add_review_options(review: argparse.ArgumentParser) -> None:
    _add_source_options(review, revision="latest")
    _add_tree_options(review)
    _add_rule_options(review)
    _add_confidence_option(review)
    review.add_argument(
        "--format",
        metavar="FORMAT",
        default="text",
        help="text, markdown, json, reply, sarif, rdjsonl or b4 (text); see docs/formats.md",
    )
    _add_output_options(review)
    review.add_argument(
        "--fail-on", default="error", choices=(*LEVELS, "never"), help="exit 1 from this level on (error)"
    )


def _add_tree_options(review: argparse.ArgumentParser) -> None:
    review.add_argument(
        "--tree", type=_path, metavar="DIR", help="a clone or bare repository with the code behind the patches"
    )
    review.add_argument(
        "--base", metavar="REV", help="lay patches on REV where the tree has not what they are based on"
    )
    review.add_argument("--apply-to", metavar="REV", help="tell whether the series applies to REV, such as your branch")
    review.add_argument("--cache", type=Path, metavar="DIR", help="keep what was parsed of the tree in DIR")
    review.add_argument(
        "--show-old", action="store_true", help="also what was wrong with the code before, in the files of the patches"
    )


def _add_rule_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--rules", action="append", default=[], type=_path, metavar="DIR", help="more rules in DIR")
    command.add_argument(
        "--select", action="append", default=[], metavar="RULES", help="only these: ids, names, prefixes, categories"
    )
    command.add_argument("--ignore", action="append", default=[], metavar="RULES", help="not these")


def words(given: list[str]) -> list[str]:
    """The words of a repeatable option whose values may hold several, separated by commas."""
    return [word for value in given for word in value.split(",") if word.strip()]

"""The options of each command and their help."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

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
  reviewer review thread.mbox --write-baseline kept.toml   accept what is found, for --baseline kept.toml
  reviewer review 20260203-frob-v2-0-5c1d@frob.example   fetch the thread of a Message-ID, see --server

exit codes: 0 nothing at or above --fail-on, 1 findings, 2 usage, configuration or input,
3 a rule crashed, 130 interrupted
"""

SERIES_EXAMPLES = """examples:
  reviewer series list.mbox                      what is in it, all versions of every series
  reviewer series list.mbox --since yesterday    only series that somebody wrote about since
  reviewer series - --message-id ID              standard input, only the series of one mail and its other versions
  reviewer series list.mbox --format json        the document of `reviewer review --format json`, without findings

exit codes: 0 printed, 2 usage, configuration or input, 130 interrupted
"""

COMPARE_EXAMPLES = """examples:
  reviewer compare v3.mbox v4.mbox               the newest version of each series against the one before it
  reviewer compare list.mbox --message-id ID     only the version that this mail belongs to
  reviewer compare thread.mbox --revision 3      v3 against v2; all compares every version with the one before it
  reviewer compare list.mbox --tree linux.git    findings with the code behind the patches

exit codes: 0 printed, 2 usage, configuration or input (also: only one version is here), 3 a rule crashed,
130 interrupted
"""


CONFIG_EXAMPLES = """examples:
  reviewer config                                what is in force without any option, and where each value comes from
  reviewer config --tree linux.git --select DM3  the same with these options
  reviewer config --format json                  for a machine
  reviewer config > reviewer.toml                a file to start from; --config FILE reads it

The file is that of --config, else of REVIEWER_CONFIG, else reviewer/reviewer.toml in XDG_CONFIG_HOME (~/.config).
An option beats the environment (REVIEWER_TREE), which beats the file. See docs/configuration.md for all keys.

exit codes: 0 printed, 2 usage, or the file is not right
"""


class _Parser(argparse.ArgumentParser):
    """A parser whose options are added by `fill` when it is used: a call pays for those of its command alone."""

    fill: Callable[[argparse.ArgumentParser], None] | None = None

    def parse_known_args(  # type: ignore[override]  # the overloads of the base class are about other namespaces
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """As argparse, but sources may stand between options, and what is left over is an error of the command."""
        fill, self.fill = self.fill, None
        if fill is not None:
            fill(self)
        known, extra = super().parse_known_args(args, namespace or argparse.Namespace())
        if any(word.startswith("-") and word != "-" for word in extra) or not hasattr(known, "sources"):
            if extra:
                self.error(f"unrecognized arguments: {' '.join(extra)}")
        else:
            known.sources += extra
        return known, []

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see `{self.prog} --help`")


if TYPE_CHECKING:
    _Commands = argparse._SubParsersAction[_Parser]  # pyright: ignore[reportPrivateUsage]  # it has no public name


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
    _add_review(commands)
    _add_series(commands)
    _add_compare(commands)
    rules = commands.add_parser("rules", help="list the rules", description="List the rules, one a line.")
    rules.fill = _fill_rules
    explain = commands.add_parser(
        "explain",
        help="show one rule",
        description="Show a rule, its reason and examples.",
    )
    explain.fill = _fill_explain
    test = commands.add_parser(
        "test",
        help="run the examples of rules",
        description="Run the examples of the rules in DIR, each also with its identifiers renamed and its independent "
        "declarations reordered. For plugin authors.",
    )
    test.fill = _fill_test
    config = commands.add_parser(
        "config",
        help="show the configuration in force",
        description="Print the configuration in force as TOML, and where each value comes from.",
        epilog=CONFIG_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    config.fill = _fill_config
    return top


def _add_review(commands: _Commands) -> None:
    review = commands.add_parser(
        "review",
        help="review the series in a thread",
        description="Read mail, put the series together, check it, and print a review.",
        epilog=REVIEW_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    review.fill = _add_review_options


def _add_series(commands: _Commands) -> None:
    series = commands.add_parser(
        "series",
        help="show the series in a thread",
        description="Read mail, put the series together, and print what was found: versions, patches, what is\n"
        "missing, tags, objections, what was applied, and mail that belongs to none.",
        epilog=SERIES_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    series.fill = _fill_series


def _add_compare(commands: _Commands) -> None:
    compare = commands.add_parser(
        "compare",
        help="compare versions of a series",
        description="Read mail, put the series together, and print what differs from one version to the next:\n"
        "patches, findings, tags, what became of each remark, and where the changelog and the change\n"
        "disagree.",
        epilog=COMPARE_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    compare.fill = _fill_compare


def _fill_series(series: argparse.ArgumentParser) -> None:
    _add_source_options(series, revision="all")
    _add_fetch_options(series)
    _add_output_options(series)
    series.add_argument(
        "--format",
        choices=("terminal", "text", "json"),
        help="terminal, text or json (terminal on a terminal, else text)",
    )
    _add_config_option(series)


def _fill_compare(compare: argparse.ArgumentParser) -> None:
    _add_source_options(compare, revision="latest")
    _add_fetch_options(compare)
    _add_tree_options(compare)
    _add_rule_options(compare)
    _add_confidence_option(compare)
    _add_accepting_options(compare)
    _add_output_options(compare)
    compare.add_argument(
        "--format",
        metavar="FORMAT",
        help="terminal, text, markdown or json (terminal on a terminal, else text)",
    )
    _add_config_option(compare)


def _fill_rules(rules: argparse.ArgumentParser) -> None:
    _add_rule_options(rules)
    rules.add_argument("--markdown", action="store_true", help="print the rule book as Markdown (docs/rules.md)")
    _add_config_option(rules)


def _fill_explain(explain: argparse.ArgumentParser) -> None:
    explain.add_argument("rule", metavar="ID", help="id or name of a rule, such as DM302 or errno-silently-changed")
    _add_rules_option(explain)
    _add_config_option(explain)


def _fill_test(test: argparse.ArgumentParser) -> None:
    test.add_argument("folder", nargs="?", type=_path, metavar="DIR", help="a folder of rules (default: the shipped)")


def _fill_config(config: argparse.ArgumentParser) -> None:
    config.add_argument("--format", dest="form", default="toml", choices=("toml", "json"), help="toml or json (toml)")
    _add_fetch_options(config)
    _add_tree_options(config)
    _add_look_options(config)
    _add_rule_options(config)
    _add_confidence_option(config)
    _add_output_options(config)
    _add_fail_option(config)
    _add_config_option(config)


def _add_source_options(command: argparse.ArgumentParser, *, revision: str) -> None:
    command.add_argument(
        "sources",
        nargs="+",
        metavar="SOURCE",
        help="an mbox (also compressed), a mail, a maildir, a public-inbox, a saved page, a feed, an address, "
        "a Message-ID, git:BASE..HEAD, or - for standard input; addresses, and Message-IDs unless a file has that "
        "name, are fetched from the network",
    )
    command.add_argument("--message-id", metavar="ID", help="only the series that this mail belongs to")
    command.add_argument(
        "--since", metavar="DATE", help="only series with mail since then: 2026-02-28, yesterday, '2 weeks'"
    )
    command.add_argument(
        "--revision", default=revision, metavar="latest|N|all", help=f"which versions of each ({revision})"
    )


def _add_confidence_option(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--min-confidence", choices=CONFIDENCES[::-1], help="show findings of this confidence and above (medium)"
    )


def _add_config_option(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--config", type=_path, metavar="FILE", help="the configuration (REVIEWER_CONFIG, ~/.config/reviewer/)"
    )


def _add_fetch_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--server",
        type=_server,
        metavar="URL",
        help="the public-inbox server that Message-IDs are fetched from (https://lore.kernel.org/all/)",
    )
    command.add_argument(
        "--no-cache",
        dest="fetch_cache",
        action="store_const",
        const=False,
        help="fetch again what was fetched just now, keep nothing, and leave out the caches of the configuration",
    )
    command.add_argument("--offline", action=argparse.BooleanOptionalAction, help="fetch nothing from the network")


def _server(word: str) -> str:
    """The base address of a server that an option names."""
    if not word.lower().startswith(("http://", "https://")):
        raise argparse.ArgumentTypeError(f"{word} is no address: give http:// or https://, a server and a path")
    return word


def _add_output_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--templates",
        type=_path,
        metavar="DIR",
        help="your own templates, each instead of the shipped one of that name",
    )
    command.add_argument("-o", "--output", type=_path, metavar="FILE", help="write to FILE instead of standard output")


def _add_review_options(review: argparse.ArgumentParser) -> None:
    _add_source_options(review, revision="latest")
    _add_fetch_options(review)
    _add_tree_options(review)
    _add_look_options(review)
    _add_rule_options(review)
    _add_confidence_option(review)
    review.add_argument(
        "--format",
        metavar="FORMAT",
        help="terminal, text, markdown, html, json, reply, sarif, rdjsonl, b4 or b4-review "
        "(terminal on a terminal, else text); see docs/formats.md",
    )
    _add_accepting_options(review)
    review.add_argument(
        "--write-baseline", type=_path, metavar="FILE", help="accept from now on what is found: write it to FILE"
    )
    _add_output_options(review)
    _add_fail_option(review)
    _add_config_option(review)


def _add_accepting_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--baseline", type=_path, metavar="FILE", help="do not show what FILE accepts; see docs/accepting.md"
    )
    command.add_argument("--show-accepted", action="store_true", help="show accepted findings, too, and by whom")


def _add_fail_option(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--fail-on", choices=(*LEVELS, "never"), help="exit 1 when findings of this level or above are shown (error)"
    )


def _add_tree_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--tree", type=_path, metavar="DIR", help="a clone or bare repository with the code behind the patches"
    )
    command.add_argument(
        "--base", metavar="REV", help="lay patches on REV when the tree lacks the commit that they are based on"
    )
    command.add_argument("--cache", type=_path, metavar="DIR", help="keep what was parsed of the tree in DIR")


def _add_look_options(review: argparse.ArgumentParser) -> None:
    review.add_argument("--apply-to", metavar="REV", help="tell whether the series applies to REV, such as your branch")
    review.add_argument(
        "--show-old",
        action=argparse.BooleanOptionalAction,
        help="also what was wrong with the code before, in the files of the patches",
    )


def _add_rules_option(command: argparse.ArgumentParser) -> None:
    command.add_argument("--rules", action="append", type=_path, metavar="DIR", help="more rules in DIR")


def _add_rule_options(command: argparse.ArgumentParser) -> None:
    _add_rules_option(command)
    command.add_argument(
        "--select", action="append", metavar="RULES", help="only these: ids, names, prefixes, categories"
    )
    command.add_argument("--ignore", action="append", metavar="RULES", help="not these")


def words(given: Sequence[str]) -> list[str]:
    """The words of a repeatable option whose values may hold several, separated by commas."""
    return [word for value in given for word in value.split(",") if word.strip()]

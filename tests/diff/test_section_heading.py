"""The function named in a hunk's section heading."""

from __future__ import annotations

import pytest

from reviewer.diff.section import function_named


@pytest.mark.parametrize(
    ("section", "name"),
    [
        ("static int frob(struct knob *k,", "frob"),
        ("struct knob *knob_of(int n)", "knob_of"),
        ("static inline unsigned long long __frob(void)", "__frob"),
        ("frob(struct knob *k)", "frob"),
        ("void frob(int (*cb)(int),", "frob"),
        ("static __printf(1, 2) void frob_log(const char *format, ...)", "frob_log"),
        ("static int __attribute__((unused)) frob(void)", "frob"),
        ("int frob(int a) __acquires(lock)", "frob"),
        ('SEC("tc") int frob_prog(struct ctx *c)', "frob_prog"),
        ("enum dir frob_dir(struct knob *k)", "frob_dir"),
        ("static struct knob frob(void) {", "frob"),
        ("SYSCALL_DEFINE2(frob, int, fd, int, flags)", "frob"),
        ("static FROB_DEFINE_FN(turn, left)", "turn"),
        ("int BPF_PROG(frob, struct ctx *c)", "frob"),
        ("TRACE_EVENT(frob_turn,", "frob_turn"),
        ("TEST(frob)", "frob"),
        ("TEST_F(fixture, frob)", "frob"),
        ("int frob(struct knob *k)\r", "frob"),
        ("TEST_F(fixture)", None),
        ("DEFINE_FROB(1)", None),
        ("FROB_DECLARATION(32)", None),
        ("FROB(name)", None),
        ("DEFINE_MUTEX(frob_lock);", None),
        ("EXPORT_SYMBOL(frob);", None),
        ("int frob(void);", None),
        ("static inline void frob(void) {}", None),
        ("struct knob {", None),
        ("static const struct knob {", None),
        ("struct knob frobs[] = {", None),
        ("static struct knob frob = KNOB(1,", None),
        ("static int", None),
        ("typedef int (*frob)(int)", None),
        ("typedef int frob(int)", None),
        ("enum {", None),
        ("out:", None),
        ("out_free: frob(k)", None),
        ("default:", None),
        ("case FROB(1):", None),
        ("return frob(1,", None),
        ("if (frob(1))", None),
        ("if(frob)", None),
        ("#define FROB(x)", None),
        ("} __packed(", None),
        (" * frob(x)", None),
        ("__printf(1, 2)", None),
        ("", None),
    ],
)
def test_c(section: str, name: str | None) -> None:
    assert function_named(section, "lib/knob.c") == name


@pytest.mark.parametrize(
    ("path", "section", "name"),
    [
        ("knob.py", "def frob(cfg):", "frob"),
        ("knob.py", "    async def frob(cfg,", "frob"),
        ("knob.py", "class Knob:", None),
        ("knob.py", "import frob(", None),
        ("knob.rs", "    pub(crate) unsafe fn frob<T>(x: T) {", "frob"),
        ("knob.rs", "impl Knob for Frob {", None),
        ("knob.sh", "frob() {", "frob"),
        ("knob.h", "static inline int frob(int a)", "frob"),
        ("knob.rst", "The function frob(int) turns", None),
        ("Kconfig", "config FROB(", None),
    ],
)
def test_languages(path: str, section: str, name: str | None) -> None:
    assert function_named(section, path) == name


def test_a_long_heading_is_not_read_to_its_end() -> None:
    assert function_named("struct " * 100_000, "x.c") is None
    assert function_named("(" * 100_000, "x.c") is None

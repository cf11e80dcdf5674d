import pytest

from reviewer.paths import matches


@pytest.mark.parametrize(
    ("path", "globs", "expected"),
    [
        ("net/core/frob.c", ("**",), True),
        ("net/core/frob.c", ("net/**",), True),
        ("net/frob.c", ("net/**/frob.c",), True),
        ("drivers/net/frob.c", ("net/**",), False),
        ("net/core/frob.c", ("net/*.c",), False),
        ("net/core/frob.h", ("net/core/*.c",), False),
        ("net/core/frob.c", ("net/core/fro?.c",), True),
        ("net/core/frob.c", ("!net/core/**",), False),
        ("net/ipv4/frob.c", ("!net/core/**",), True),
        ("net/core/frob.c", ("net/**", "!**/frob.c"), False),
        ("net/core/a.c\nb", ("net/**",), True),
        ("network/core/frob.c", ("net/**",), False),
        ("network/core/frob.c", ("net**",), True),
        ("net/", ("net",), False),
        ("net/frob.c", ("net/",), False),
        ("net/frob.c", ("net/frob.c",), True),
        ("net/core/frob.c", ("**/*.c",), True),
        ("frob.c", ("**/*.c",), True),
        ("frob.c.rej", ("**/*.c",), False),
        ("net/core/frob_test.c", ("**/*_test.?",), True),
        ("net/core/frob.c", ("**/core/*.c",), True),
        ("net/core/frob.c", (), True),
    ],
)
def test_globs(path, globs, expected):
    assert matches(path, globs) is expected

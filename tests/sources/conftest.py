"""The archive that the tests of pages, feeds and addresses share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from server import missing, serving
from threadmaking import ALL


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loopback is asked directly, whatever proxies the environment names."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a list on a real public-inbox server."""
    if missing():
        pytest.skip(f"no {missing()} here: install the Debian package public-inbox")
    with serving(tmp_path_factory.mktemp("inbox"), ALL) as address:
        yield address

"""Options and fixtures that all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

CORPUS = Path(__file__).parents[1].parent / "shared" / "corpus"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files; read the diff afterwards")


def pytest_configure() -> None:
    """What the person who runs the tests has configured shall not matter, nor how busy the machine is."""
    settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("unhurried")
    os.environ["REVIEWER_CONFIG"] = os.devnull
    os.environ.pop("REVIEWER_TREE", None)


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of real threads, which is not part of the project."""
    if not CORPUS.is_dir():
        pytest.skip("no corpus of real threads beside the project")
    return CORPUS

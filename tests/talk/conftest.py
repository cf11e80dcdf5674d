"""A story of mails, empty at the start of each test."""

from __future__ import annotations

import pytest
from talk_story import Story


@pytest.fixture
def story() -> Story:
    return Story()

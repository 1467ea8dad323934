"""Fixtures of pytest: an empty memory for each test, on a server that the run shares.

``recollect_server`` runs the server of the npm package ``recollect``. Redefine it with the scope
``session`` to choose a provider, or to use another server.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ._sync.client import RecollectClient
from .testing import RecollectMemory, RecollectServer, run_server


@pytest.fixture(scope="session")
def recollect_server() -> Iterator[RecollectServer]:
    """The server that all tests of this process share."""
    with run_server() as server:
        yield server


@pytest.fixture
def recollect_memory(recollect_server: RecollectServer) -> RecollectMemory:
    """The address and key of an empty memory, for the application under test."""
    return recollect_server.new_memory()


@pytest.fixture
def recollect(recollect_memory: RecollectMemory) -> Iterator[RecollectClient]:
    """A client of the empty memory of this test."""
    with RecollectClient(recollect_memory.url, key=recollect_memory.key) as client:
        yield client

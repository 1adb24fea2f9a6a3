"""Fixtures for pytest: a server for the session, and a sandbox in a prepared state for each test.

An installed package brings them by itself; otherwise a conftest.py says pytest_plugins = ["platen.pytest_plugin"].

    @pytest.fixture(scope="session")
    def platen_base(platen_server):          # optional: the state that tests begin with
        sandbox = platen_server.sandbox(preset="starter", seed=4)
        sandbox.client.advance_time()
        return sandbox

    def test_it(platen_sandbox):             # a fork of platen_base, for this test alone
        platen_sandbox.client.get_cash()
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from . import fixture
from ._client import Sandbox


@pytest.fixture(scope="session")
def platen_server() -> Iterator[fixture.Platen]:
    """A server of this session. PLATEN_BIN names the program, or it is found in the PATH."""
    with fixture.start() as server:
        yield server


@pytest.fixture(scope="session")
def platen_base(platen_server: fixture.Platen) -> Sandbox:
    """The sandbox that each test gets a fork of. Override it to prepare one."""
    return platen_server.sandbox()


@pytest.fixture
def platen_fork(platen_base: Sandbox) -> Callable[..., Sandbox]:
    """Makes forks of platen_base: now, or at a checkpoint, a seq or a sim_date."""
    return lambda checkpoint=None, **earlier: fixture.fork(platen_base, checkpoint, **earlier)


@pytest.fixture
def platen_sandbox(platen_base: Sandbox) -> Sandbox:
    """A fork of platen_base, for this test alone."""
    return fixture.fork(platen_base)

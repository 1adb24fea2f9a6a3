"""The state that the tests begin with. The fixtures themselves come with the package platen."""

import pytest


@pytest.fixture(scope="session")
def platen_base(platen_server):
    sandbox = platen_server.sandbox(preset="starter", seed=7)
    sandbox.client.advance_time()
    return sandbox

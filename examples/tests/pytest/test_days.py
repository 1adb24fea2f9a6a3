def day(sandbox):
    return sandbox.client.get_sandbox()["clock"]["day_number"]


def test_a_test_begins_where_the_sandbox_was_prepared(platen_sandbox):
    assert day(platen_sandbox) == 1


def test_a_test_moves_its_own_clock_alone(platen_fork):
    fork = platen_fork()
    fork.client.advance_time()
    assert [day(fork), day(platen_fork())] == [2, 1]


def test_a_test_can_begin_at_a_checkpoint(platen_fork):
    assert day(platen_fork("start")) == 0

"""The errors of the client."""

from __future__ import annotations

import pickle
import unittest

import platen


class ErrorTest(unittest.TestCase):
    def test_an_error_of_a_worker_reaches_its_parent_whole(self) -> None:
        """Multiprocessing pickles it, and hangs where that fails."""
        error = platen.ApiError("get_cash", 429, code="rate_limited", text="Too many.", details={"a": 1}, retry_after_s=2.5)
        error.attempts = 3
        came = pickle.loads(pickle.dumps(error))
        self.assertEqual((type(came), str(came), vars(came)), (platen.ApiError, str(error), vars(error)))

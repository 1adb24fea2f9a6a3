"""Idempotency keys that name a step and its record."""

import unittest

import platen


class KeyTest(unittest.TestCase):
    """Tests of key_for."""

    def test_a_key_names_the_step_and_its_record(self) -> None:
        self.assertEqual(platen.key_for("accept", "SO-1001"), "accept-SO-1001")

    def test_one_more_of_the_same_has_an_ordinal(self) -> None:
        self.assertEqual(platen.key_for("print", "WO-3001", 2), "print-WO-3001-2")

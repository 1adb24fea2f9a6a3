"""Verification of webhooks."""

from __future__ import annotations

import json
import unittest
from pathlib import Path
from typing import Any

from platen import webhook

W: dict[str, Any] = json.loads((Path(__file__).parents[2] / "script.json").read_text(encoding="utf-8"))["webhooks"]


def headers(**more: str) -> dict[str, str]:
    made = {"webhook-id": W["id"], "webhook-timestamp": str(W["now"]), "webhook-signature": W["signature"]}
    return made | {name.replace("_", "-"): value for name, value in more.items()}


def verify(**change: Any) -> Any:
    given = {"secret": W["secret"], "headers": headers(), "body": W["body"], "now": W["now"]} | change
    return webhook.verify(given.pop("secret"), given.pop("headers"), given.pop("body"), **given)


class WebhookTest(unittest.TestCase):
    def test_a_delivery_that_was_signed_just_now_is_an_event(self) -> None:
        for body in (W["body"], W["body"].encode(), bytearray(W["body"].encode())):
            self.assertEqual(verify(body=body)["note"], "Zoë")
        capitals = {name.title(): value for name, value in headers().items()}
        self.assertEqual(verify(headers=capitals)["id"], W["id"])
        for offset in (-300, 300):
            verify(now=W["now"] + offset)
        verify(secret=[W["other"], W["secret"]])
        verify(headers=headers(webhook_signature="v1,AAAA " + W["signature"]))

    def test_signatures_of_both_secrets_of_a_rotation_fit(self) -> None:
        self.assertEqual(webhook.sign(W["secret"], W["id"], W["body"], timestamp=W["now"]), headers())
        both = webhook.sign([W["other"], W["secret"]], W["id"], W["body"], timestamp=W["now"])
        for secret in (W["secret"], W["other"]):
            verify(secret=secret, headers=both)

    def test_other_deliveries_are_rejected(self) -> None:
        for case in W["rejected"]:
            change = {name: case[name] for name in ("secret", "body") if name in case}
            change["headers"] = headers() | case.get("headers", {})
            change["now"] = W["now"] + case.get("clock_off_s", 0)
            if case.get("signed"):
                change["headers"] = webhook.sign(W["secret"], W["id"], change["body"], timestamp=W["now"])
            with self.subTest(case["name"]), self.assertRaises(webhook.WebhookError):
                verify(**change)
        for secret in ("whsec_", "whsec_*"):
            with self.assertRaises(ValueError):
                verify(secret=secret)

"""Webhooks: signatures as Standard Webhooks has them."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence

from ._types import FeedEvent

TOLERANCE_S = 300


class WebhookError(Exception):
    """A webhook that must be rejected. Its text is the reason."""


def verify(
    secret: str | Sequence[str],
    headers: Mapping[str, str],
    body: bytes | str,
    *,
    tolerance_s: float = TOLERANCE_S,
    now: float | None = None,
) -> FeedEvent:
    """Check that a webhook was signed with the secret, or with one of several, just now, and return its event.

    The body must be the raw one: JSON that was parsed and written again has another signature.
    """
    found = {name.lower(): value for name, value in headers.items()}
    event_id, stamp = found.get("webhook-id", ""), found.get("webhook-timestamp", "")
    if not event_id:
        raise WebhookError("there is no webhook-id")
    if not (stamp.isascii() and stamp.isdigit() and len(stamp) < 16):
        raise WebhookError("the timestamp is no number")
    if abs((time.time() if now is None else now) - int(stamp)) > tolerance_s:
        raise WebhookError("the timestamp is too far from this clock")
    raw = body.encode() if isinstance(body, str) else bytes(body)
    # For a day after a rotation there are two signatures. One has to fit.
    signatures = [text.encode() for text in found.get("webhook-signature", "").split()]
    for one in [secret] if isinstance(secret, str) else secret:
        want = _signature(one, event_id, stamp, raw)
        if any(hmac.compare_digest(signature, want) for signature in signatures):  # in constant time
            try:
                return json.loads(raw)
            except ValueError:
                raise WebhookError("the body is no JSON") from None
    raise WebhookError("no signature fits")


def sign(
    secret: str | Sequence[str], event_id: str, body: bytes | str, *, timestamp: int | None = None
) -> dict[str, str]:
    """Sign a body as the server does, for tests of a receiver. It returns the headers."""
    stamp = str(int(time.time()) if timestamp is None else timestamp)
    raw = body.encode() if isinstance(body, str) else bytes(body)
    secrets = [secret] if isinstance(secret, str) else secret
    signatures = b" ".join(_signature(one, event_id, stamp, raw) for one in secrets)
    return {"webhook-id": event_id, "webhook-timestamp": stamp, "webhook-signature": signatures.decode()}


def _signature(secret: str, event_id: str, stamp: str, body: bytes) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise ValueError("platen: the secret must be like whsec_…, with Base64 behind it")
    mac = hmac.new(key, f"{event_id}.{stamp}.".encode() + body, hashlib.sha256)
    return b"v1," + base64.b64encode(mac.digest())

"""Receives Platen's webhooks. Needs nothing but Python 3.9."""

import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

TOLERANCE_S = 300
BODY_MOST = 64 * 1024  # bytes; a body has 4,096 at most
KEY = base64.b64decode(os.environ["PLATEN_WEBHOOK_SECRET"].removeprefix("whsec_"), validate=True)

seen = set()  # keep it in your database: it must outlive the program
seen_lock = Lock()


def verify(headers, body):
    """Return why the request must be rejected, or None: it was signed with our secret, just now."""
    event_id, stamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not (stamp.isascii() and stamp.isdigit()):
        return "the timestamp is no number"
    if abs(time.time() - int(stamp)) > TOLERANCE_S:
        return "the timestamp is too far from this clock"
    mac = hmac.new(KEY, f"{event_id}.{stamp}.".encode() + body, hashlib.sha256)
    want = b"v1," + base64.b64encode(mac.digest())
    # For a day after a rotation there are two signatures. One has to fit.
    for signature in headers.get("webhook-signature", "").split():
        if hmac.compare_digest(signature.encode(), want):  # in constant time
            return None
    return "no signature fits"


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        # The raw body first. What was parsed and written again has another signature.
        length = int(self.headers.get("content-length", 0))
        if length > BODY_MOST:
            return self.send_error(413)
        body = self.rfile.read(length)
        rejection = verify(self.headers, body)
        if rejection:
            return self.send_error(401, rejection)
        event = json.loads(body)
        with seen_lock:
            fresh = event["id"] not in seen  # the same event can come more than once
            seen.add(event["id"])
        if fresh:
            # A retry can arrive late: event["created_at"] is the order, compared as text.
            print("handled", event["id"], event["type"], flush=True)
        # Respond within 5 seconds: do slow work after the response.
        self.send_response(204)
        self.end_headers()


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver).serve_forever()

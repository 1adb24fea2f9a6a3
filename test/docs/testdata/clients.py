"""Runs a block about the clients with what stands around it."""

import os
import sys

import platen

url = os.environ["PLATEN_URL"]
keys = platen.Keys(os.environ["PLATEN_OFFICE_KEY"], os.environ["PLATEN_FACTORY_KEY"])
client = platen.Client(url, keys)
order = client.list_sales_orders(status="received").items[0]
secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
body = b'{"id":"evt_1"}'
headers = platen.webhook.sign(secret, "evt_1", body)
handled = []


def handle(event):
    handled.append(event)
    if len(handled) == 5:
        sys.exit(0)


with open(sys.argv[1], encoding="utf-8") as block:
    exec(compile(block.read(), sys.argv[1], "exec"))

# Runs the loop of the guide on the feed, which is the file in the first
# argument, with what a reader would bring: and kills it between an effect and
# its checkpoint. No event may be missing, and only the one of the crash may
# come twice.
import json
import os
import sys
import urllib.request

checkpoint = 0
handled = []
killed_at = 3


class Killed(Exception):
    pass


class CaughtUp(Exception):
    pass


def read(path):
    request = urllib.request.Request(os.environ["BASE_URL"] + path, headers={"Authorization": "Bearer " + os.environ["PLATEN_OFFICE_KEY"]})
    with urllib.request.urlopen(request) as response:
        return json.load(response)["data"]


last = read("/events?after_seq=0&limit=1")["last_seq"]


def get(path):
    if checkpoint >= last:
        raise CaughtUp
    return read(path)


def load_checkpoint():
    return checkpoint


def save_checkpoint(after):
    global checkpoint
    if after == killed_at and handled.count(after) == 1:
        raise Killed
    checkpoint = after


def handle(event):
    handled.append(event["seq"])


with open(sys.argv[1]) as file:
    loop = file.read()
try:
    exec(loop)
except Killed:
    pass
try:
    exec(loop)
except CaughtUp:
    pass
want = sorted([*range(1, checkpoint + 1), killed_at])
if checkpoint <= killed_at or handled != want:
    sys.exit(f"handled {handled}, want {want}")

"""Looks addresses up with the standard library alone: python3 check_ip.py 192.0.2.5 …   Environment: PULSE_URL, PULSE_KEY."""
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request

BASE = os.environ.get("PULSE_URL", "http://127.0.0.1:8080")


def look_up(ip, timeout=2.0):
    """The verdict on one address. Raises RuntimeError with the code of a refusal, and OSError without an answer."""
    request = urllib.request.Request(f"{BASE}/v1/ip/{urllib.parse.quote(ip, safe='')}")
    if "PULSE_KEY" in os.environ:
        request.add_header("X-API-Key", os.environ["PULSE_KEY"])
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refusal:
        code = json.load(refusal)["error"]["code"]
        raise RuntimeError(f"{code}, retry after {refusal.headers.get('Retry-After', '-')} s") from None


def decide(verdict):
    """evidence_state first: a score of 0 is not a statement of safety."""
    if verdict["evidence_state"] != "active":
        return "unknown"
    score = verdict["risk"]["score"]
    return "deny" if score >= 70 else "challenge" if score >= 30 else "allow"


for ip in sys.argv[1:]:
    try:
        print(ip, decide(look_up(ip)), flush=True)
    except (RuntimeError, OSError) as fault:
        sys.exit(f"{ip}: {fault}")

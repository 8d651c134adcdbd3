"""Asks what to do about addresses, with the standard library alone: python3 check_ip.py 192.0.2.5 …   Environment: PULSE_URL, PULSE_KEY."""
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request

BASE = os.environ.get("PULSE_URL", "http://127.0.0.1:8080")


def decide(ip, timeout=2.0):
    """The order of the service, by the policy of the key: allow, challenge or deny, and why. 403 is a denial too.
    Raises RuntimeError with the code of a refusal, and OSError without an answer."""
    request = urllib.request.Request(f"{BASE}/v1/decide?ip={urllib.parse.quote(ip, safe='')}")
    request.add_header("X-API-Key", os.environ.get("PULSE_KEY", ""))
    try:
        answer = urllib.request.urlopen(request, timeout=timeout)
    except urllib.error.HTTPError as refusal:
        answer = refusal
    with answer:
        if "X-Pulse-Action" not in answer.headers:
            code = json.load(answer)["error"]["code"]
            raise RuntimeError(f"{code}, retry after {answer.headers.get('Retry-After', '-')} s")
        return answer.headers["X-Pulse-Action"], answer.headers["X-Pulse-Reason"]


for ip in sys.argv[1:]:
    try:
        print(ip, *decide(ip), flush=True)
    except (RuntimeError, OSError) as fault:
        sys.exit(f"{ip}: {fault}")

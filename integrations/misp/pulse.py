"""MISP module (expansion, hover): the verdict of a Pulse service on an address."""
import json
import urllib.error
import urllib.parse
import urllib.request

mispattributes = {"input": ["ip-src", "ip-dst"], "output": ["text"]}
moduleinfo = {
    "version": "1",
    "author": "Pulse",
    "description": "Verdict of a self-hosted Pulse service on an address.",
    "module-type": ["expansion", "hover"],
    "name": "Pulse",
    "requirements": ["The address of a Pulse service, and a key"],
    "input": "An IP address.",
    "output": "Score, level, state of the evidence and signals.",
}
moduleconfig = ["url", "key"]
TIMEOUT_S = 5


def handler(q=False):
    if q is False:
        return False
    request = json.loads(q)
    config = request.get("config") or {}
    if not config.get("url"):
        return {"error": "Pulse: set the module's url."}
    ip = next((request[kind] for kind in mispattributes["input"] if request.get(kind)), None)
    if ip is None:
        return {"error": "Pulse: no address in the request."}
    headers = {"X-API-Key": config["key"]} if config.get("key") else {}
    url = "%s/v1/ip/%s" % (config["url"].rstrip("/"), urllib.parse.quote(ip, safe=""))
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=TIMEOUT_S) as answer:
            body = json.load(answer)
    except urllib.error.HTTPError as error:
        return {"error": "Pulse: %s" % json.load(error)["error"]["message"]}
    except (urllib.error.URLError, TimeoutError) as error:
        return {"error": "Pulse cannot be reached: %s" % error}
    return {"results": [{"types": mispattributes["output"], "values": [words_of(body)]}]}


def words_of(body):
    risk, state = body["risk"], body["evidence_state"]
    if state == "none":
        return "Pulse: no evidence about %s, which does not mean that it is safe" % body["ip"]
    signals = ", ".join(risk.get("signals", [])) or "no signal"
    return "Pulse: score %d (%s), evidence %s, %s, as of %s" % (
        risk["score"], risk["level"], state, signals, body["computed_at"],
    )


def introspection():
    return mispattributes


def version():
    moduleinfo["config"] = moduleconfig
    return moduleinfo

-- Asks Pulse whether the client of a request may go on. Without an answer, or with a revoked key, the request passes.
local url = os.getenv("PULSE_URL") .. "/v1/decide"
local key = os.getenv("PULSE_KEY")

core.register_action("pulse", { "http-req" }, function(txn)
    local answer = core.httpclient():get({
        url = url,
        headers = { ["x-api-key"] = { key }, ["x-forwarded-for"] = { txn.f:src() } },
        timeout = 1000,
    })
    local headers = answer.headers or {}
    local first = function(name) return headers[name] and headers[name][0] or "" end
    txn:set_var("txn.pulse_status", answer.status or 0)
    txn:set_var("txn.pulse_action", first("x-pulse-action"))
    txn:set_var("txn.pulse_reason", first("x-pulse-reason"))
end)

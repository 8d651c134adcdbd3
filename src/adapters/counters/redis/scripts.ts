/**
 * The three scripts of the ledger. Each is one atomic step on the server. All its keys carry one hash tag, so
 * it works on a cluster too.
 *
 * A minute counter is a string. A day counter is a hash:
 *
 *   u   units used, less those given back: the sum of the nodes' counts
 *   r   units given back
 *   n…  a field for each run of a node: its share of u
 *   g   units that a node knows to be used although no node's share contains them
 *
 * The use is u + g. Each script carries what the node knows about a counter, so a server that lost its data
 * regains it. The node's share is raised to its own count. If the total is below the one it has seen, g makes
 * up the difference, until shares that return reduce g. A node's count from an outage returns in the same
 * way. While the server has all data, none of this changes anything.
 *
 * Every key expires after its window. A charge of phone numbers leaves a mark under its id. If the answer is
 * lost, the caller must not be billed, and the mark says whether there is something to give back.
 */
const COUNTED = `
local function counted(key, node, own, total, refunded)
  local seen = redis.call('HMGET', key, 'u', 'r', 'g', node)
  local u, r, g, n = tonumber(seen[1] or '0'), tonumber(seen[2] or '0'), tonumber(seen[3] or '0'), tonumber(seen[4] or '0')
  if own > n then
    u, g, n = u + own - n, math.max(0, g - (own - n)), own
  end
  local before = r
  r = math.max(r, refunded)
  g = math.max(g, total - u - r)
  return u, r, g, n, not seen[1], r ~= before or g ~= tonumber(seen[3] or '0')
end
local function keep(key, node, ttl, u, r, g, n, isNew, isRestored)
  if isRestored then redis.call('HSET', key, 'r', r, 'g', g) end
  redis.call('HSET', key, 'u', u, node, n)
  if isNew then redis.call('EXPIRE', key, ttl) end
end
`;

/**
 * KEYS: minute counters, day counters; with day counters the number of the latest day begun; for marked
 * charges the charge's mark and its void mark.
 * ARGV: units, numbers of minute and day counters, three lifetimes; the day asked for, how many days ahead a
 * later day may be and stay in force, the lifetime of the latest day's number, the node's field, and units of
 * the minutes. Then follow, for each minute counter, its limit and the use known to the node, and for each
 * day counter its limit and the node's share, total ever used and units given back.
 * Replies status, index of the refusing counter, units used, and then units given back. Status 4 means that a
 * later day, the second value, is in force; nothing was counted then.
 */
export const CHARGE = `${COUNTED}
local units, minutes, days = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local minuteTtl, dayTtl, markTtl = ARGV[4], ARGV[5], ARGV[6]
local day, kept, latestTtl, node = tonumber(ARGV[7]), tonumber(ARGV[8]), ARGV[9], ARGV[10]
local minuteUnits = tonumber(ARGV[11])
local counters = minutes + days
local marks = counters
local latest = day
if days > 0 then
  marks = counters + 1
  latest = tonumber(redis.call('GET', KEYS[marks]) or '0')
  if latest > day and latest - day <= kept then return {4, latest} end
end
if #KEYS > marks and redis.call('EXISTS', KEYS[marks + 2]) == 1 then return {3} end
local reply = {0, 0}
for i = 1, minutes do
  local used = math.max(tonumber(redis.call('GET', KEYS[i]) or '0'), tonumber(ARGV[11 + 2 * i]))
  if used + minuteUnits > tonumber(ARGV[10 + 2 * i]) then return {1, i, used} end
  reply[2 + i] = used + minuteUnits
end
if minuteUnits > 0 then
  for i = 1, minutes do redis.call('SET', KEYS[i], reply[2 + i], 'EX', minuteTtl) end
end
local found = {}
for i = 1, days do
  local at = 8 + 2 * minutes + 4 * i
  local u, r, g, n, isNew, isRestored = counted(KEYS[minutes + i], node, tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3]))
  if u + g + units > tonumber(ARGV[at]) then
    reply[1], reply[2], reply[3 + minutes], reply[4 + minutes] = 2, i, u + g, r
    for j = 5 + minutes, 2 + counters do reply[j] = nil end
    return reply
  end
  found[i] = {u + units, r, g, n + units, isNew, isRestored}
  reply[2 + minutes + i] = u + g + units
end
for i = 1, days do
  reply[2 + counters + i] = found[i][2]
  if units > 0 then keep(KEYS[minutes + i], node, dayTtl, unpack(found[i])) end
end
if days > 0 and units > 0 then
  if latest ~= day then redis.call('SET', KEYS[counters + 1], ARGV[7], 'EX', latestTtl) end
  if #KEYS > marks then redis.call('SET', KEYS[marks + 1], '1', 'EX', markTtl) end
end
return reply
`;

/**
 * KEYS: a day counter. ARGV: its lifetime, the node's field, its share, total ever used and units given back.
 * Replies units used and units given back.
 */
export const SETTLE = `${COUNTED}
local node, own, total, refunded = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local u, r, g, n, isNew, isRestored = counted(KEYS[1], node, own, total, refunded)
if u + r + g > 0 then keep(KEYS[1], node, ARGV[1], u, r, g, n, isNew, isRestored) end
return {u + g, r}
`;

/**
 * KEYS: day counters, the charge's mark, its void mark. Repeated calls give back only once. ARGV[3] is 1 when
 * it is unknown whether the charge was made: units return only if its mark exists, and a charge that arrives
 * later finds the void mark and is refused. ARGV[4] is the node's field.
 * Replies 0 when there was nothing to give back; else 1, and units used and given back for each counter.
 */
export const GIVE_BACK = `
local units, markTtl, uncertain, node = tonumber(ARGV[1]), ARGV[2], ARGV[3] == '1', ARGV[4]
local days = #KEYS - 2
if not redis.call('SET', KEYS[days + 2], '1', 'NX', 'EX', markTtl) then return {0} end
if uncertain and redis.call('EXISTS', KEYS[days + 1]) == 0 then return {0} end
local reply = {1}
for i = 1, days do
  local share = tonumber(redis.call('HGET', KEYS[i], node) or '0')
  if share >= units then
    redis.call('HINCRBY', KEYS[i], 'u', -units)
    redis.call('HINCRBY', KEYS[i], 'r', units)
    redis.call('HINCRBY', KEYS[i], node, -units)
  end
  local seen = redis.call('HMGET', KEYS[i], 'u', 'r', 'g')
  reply[2 * i], reply[2 * i + 1] = tonumber(seen[1] or '0') + tonumber(seen[3] or '0'), tonumber(seen[2] or '0')
end
return reply
`;

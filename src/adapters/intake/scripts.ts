/**
 * Lua run by Redis or Valkey, each in one step. Keys share one hash tag. `bytes` is what the bodies in the stream take; it moves with every entry, so it is never more
 * or less than their sum.
 */

/**
 * Appends a batch unless its name is taken, too much waits, or a budget of its source is used up.
 * KEYS: stream, bytes, name, budgets…; ARGV: entries at most, bytes at most, size, rows, name kept for (ms; 0 = it has none), digest, answer, metadata, seal, body,
 * and of each budget rows at most and window (ms).
 */
export const APPEND = `
local keep = tonumber(ARGV[5])
if keep > 0 then
  local known = redis.call('HMGET', KEYS[3], 'digest', 'answer')
  if known[1] then
    if known[1] == ARGV[6] then return { 'replayed', known[2] } end
    return { 'differs' }
  end
end
local size, rows = tonumber(ARGV[3]), tonumber(ARGV[4])
local waiting = tonumber(redis.call('GET', KEYS[2]) or '0')
if redis.call('XLEN', KEYS[1]) >= tonumber(ARGV[1]) or (waiting > 0 and waiting + size > tonumber(ARGV[2])) then return { 'full' } end
local wait = 0
for i = 4, #KEYS do
  local most = tonumber(ARGV[11 + 2 * (i - 4)])
  local used = tonumber(redis.call('GET', KEYS[i]) or '0')
  if used + rows > most then wait = math.max(wait, redis.call('PTTL', KEYS[i]), 1) end
end
if wait > 0 then return { 'over_budget', wait } end
for i = 4, #KEYS do
  if redis.call('INCRBY', KEYS[i], rows) == rows then redis.call('PEXPIRE', KEYS[i], ARGV[12 + 2 * (i - 4)]) end
end
redis.call('XADD', KEYS[1], '*', 'meta', ARGV[8], 'seal', ARGV[9], 'size', size, 'body', ARGV[10])
redis.call('INCRBY', KEYS[2], size)
if keep > 0 then
  redis.call('HSET', KEYS[3], 'digest', ARGV[6], 'answer', ARGV[7])
  redis.call('PEXPIRE', KEYS[3], keep)
end
return { 'queued' }
`;

/** An entry is stored. KEYS: stream, bytes; ARGV: group, entry. */
export const SETTLE = `
local found = redis.call('XRANGE', KEYS[1], ARGV[2], ARGV[2])
redis.call('XACK', KEYS[1], ARGV[1], ARGV[2])
if #found == 0 then return 0 end
redis.call('XDEL', KEYS[1], ARGV[2])
local fields = found[1][2]
for i = 1, #fields, 2 do
  if fields[i] == 'size' then redis.call('DECRBY', KEYS[2], tonumber(fields[i + 1]) or 0) end
end
return 1
`;

/**
 * An entry moves to the stream of those set aside, of which the oldest go when they take too much room.
 * KEYS: stream, bytes, aside, bytes aside, count; ARGV: group, entry, reason, bytes aside at most.
 */
export const SET_ASIDE = `
local found = redis.call('XRANGE', KEYS[1], ARGV[2], ARGV[2])
redis.call('XACK', KEYS[1], ARGV[1], ARGV[2])
if #found == 0 then return 0 end
redis.call('XDEL', KEYS[1], ARGV[2])
local fields, size = found[1][2], 0
for i = 1, #fields, 2 do
  if fields[i] == 'size' then size = tonumber(fields[i + 1]) or 0 end
end
if size > 0 then redis.call('DECRBY', KEYS[2], size) end
redis.call('XADD', KEYS[3], '*', 'entry', ARGV[2], 'reason', ARGV[3], unpack(fields))
redis.call('INCR', KEYS[5])
local held = redis.call('INCRBY', KEYS[4], size)
while (held > tonumber(ARGV[4]) or redis.call('XLEN', KEYS[3]) > 1000) and redis.call('XLEN', KEYS[3]) > 1 do
  local oldest = redis.call('XRANGE', KEYS[3], '-', '+', 'COUNT', 1)[1]
  redis.call('XDEL', KEYS[3], oldest[1])
  for i = 1, #oldest[2], 2 do
    if oldest[2][i] == 'size' then held = redis.call('DECRBY', KEYS[4], tonumber(oldest[2][i + 1]) or 0) end
  end
end
return 1
`;

/** Consumers that hold nothing and gave no sign for long leave the group. KEYS: stream; ARGV: group, idle at least (ms). */
export const FORGET = `
local gone = 0
for _, row in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
  local one = {}
  for i = 1, #row, 2 do one[row[i]] = row[i + 1] end
  if one.pending == 0 and one.idle >= tonumber(ARGV[2]) then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], one.name)
    gone = gone + 1
  end
end
return gone
`;

/** How much waits. KEYS: stream, bytes, count of those set aside. */
export const STATE = `
local oldest = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
return { redis.call('XLEN', KEYS[1]), redis.call('GET', KEYS[2]), redis.call('GET', KEYS[3]), oldest and oldest[1] or false }
`;

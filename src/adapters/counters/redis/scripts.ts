/**
 * The two scripts. Each is one atomic step on the server, and all its keys carry one hash tag, so it runs on a cluster too.
 *
 * A minute counter is a string; a day counter is a hash of `u` (units used) and `r` (units given back). Every key expires by itself after its window.
 * A charge of phone numbers leaves a mark under its id: if the answer is lost on the way, the caller must not be billed for it, and the
 * mark says whether there is something to give back.
 */

/**
 * KEYS: minute counters, day counters, (with day counters) the number of the latest day begun, (marked charges only) the charge's mark and its void mark.
 * ARGV: units, numbers of minute and day counters, three lifetimes, then the day asked for, how many days a later one may be ahead to stay in force, and
 * the lifetime of the latest day's number; then the limits. Replies {4, day} and counts nothing when a later day is in force.
 */
export const CHARGE = `
local units, minutes, days = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local minuteTtl, dayTtl, markTtl = ARGV[4], ARGV[5], ARGV[6]
local day, kept, latestTtl = tonumber(ARGV[7]), tonumber(ARGV[8]), ARGV[9]
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
  local used = tonumber(redis.call('GET', KEYS[i]) or '0')
  if used + units > tonumber(ARGV[9 + i]) then return {1, i, used} end
  reply[2 + i] = used + units
end
if units > 0 then
  for i = 1, minutes do
    if redis.call('INCRBY', KEYS[i], units) == units then redis.call('EXPIRE', KEYS[i], minuteTtl) end
  end
end
for i = minutes + 1, counters do
  local used = tonumber(redis.call('HGET', KEYS[i], 'u') or '0')
  if used + units > tonumber(ARGV[9 + i]) then
    reply[1], reply[2], reply[3 + minutes] = 2, i - minutes, used
    for j = 4 + minutes, 2 + i do reply[j] = nil end
    return reply
  end
  reply[2 + i] = used + units
end
if units > 0 then
  for i = minutes + 1, counters do
    if redis.call('HINCRBY', KEYS[i], 'u', units) == units then redis.call('EXPIRE', KEYS[i], dayTtl) end
  end
  if latest ~= day then redis.call('SET', KEYS[counters + 1], ARGV[7], 'EX', latestTtl) end
  if #KEYS > marks then redis.call('SET', KEYS[marks + 1], '1', 'EX', markTtl) end
end
return reply
`;

/**
 * KEYS: day counters, the charge's mark, its void mark. Gives back once, however often it is asked. ARGV[3] is 1 when it is not known whether the charge
 * was made: then it counts only if its mark is there, and a charge that arrives late finds the void mark and is refused.
 */
export const GIVE_BACK = `
local units, markTtl, uncertain = tonumber(ARGV[1]), ARGV[2], ARGV[3] == '1'
local days = #KEYS - 2
if not redis.call('SET', KEYS[days + 2], '1', 'NX', 'EX', markTtl) then return 0 end
if uncertain and redis.call('EXISTS', KEYS[days + 1]) == 0 then return 0 end
for i = 1, days do
  local used = tonumber(redis.call('HGET', KEYS[i], 'u') or '0')
  if used >= units then
    redis.call('HINCRBY', KEYS[i], 'u', -units)
    redis.call('HINCRBY', KEYS[i], 'r', units)
  end
end
return 1
`;

/**
 * The three scripts of the ledger. Each is one atomic step on the server.
 *
 * A minute counter is a string. A day counter is a hash of units charged and units given back, neither of which
 * ever falls, so the use is their difference. It counts in generations, since a server may lose its data, all of
 * it or the newest:
 *
 *   e, s        generation, and the server that began it
 *   g, r        units charged and given back in this generation
 *   p           the newest generation before it that a node or the server knows
 *   pg, pr      units charged and given back in that one
 *   pb, qb      units charged and given back in all generations before that one
 *   n…          for each run of a node: units it charged, as far as they are counted here. A charge whose answer
 *               was lost and that the node then counted alone is thereby the same unit
 *   m…          likewise units that it gave back while it counted alone
 *
 * Each question carries what its node knows of the counter. Knowledge of the present generation cannot exceed
 * the server's. Knowledge of an earlier one raises p to qb: within a generation the highest number is right,
 * and generations add up. So once each node has asked, the sum is what was answered, in whatever order they came.
 * A new generation begins when the key is missing, was begun by another server or by the same one before it
 * changed its role, or is older than what the node knows.
 *
 * Every key expires after its window. A charge of phone numbers leaves a mark under its id. If the answer is
 * lost, the caller must not be billed, and the mark says whether there is something to give back.
 *
 * ARGV of all three begins with the server, a number for a new generation, and the fields of the node's run. A
 * node's knowledge of a counter is nine numbers, and a counter is answered as six (`numbersOf` and `usesIn`).
 */
const COUNTED = `
local function ended(c, generation, base, total, refundedBase, refunded)
  if generation > c.p then
    c.pb, c.pg = math.max(base, c.pb + c.pg), total - base
    c.qb, c.pr = math.max(refundedBase, c.qb + c.pr), refunded - refundedBase
    c.p = generation
  elseif generation == c.p then
    c.pb, c.pg = math.max(c.pb, base), math.max(c.pg, total - base)
    c.qb, c.pr = math.max(c.qb, refundedBase), math.max(c.pr, refunded - refundedBase)
  else
    c.pb, c.qb = math.max(c.pb, total), math.max(c.qb, refunded)
  end
end
local function counted(key, ttl, at)
  local known = {}
  for i = 1, 9 do known[i] = tonumber(ARGV[at + i - 1]) end
  local held = redis.call('HMGET', key, 'e', 'g', 'r', 'p', 'pb', 'pg', 'qb', 'pr', 's', ARGV[3])
  local c = {}
  for i, name in ipairs({'e', 'g', 'r', 'p', 'pb', 'pg', 'qb', 'pr'}) do c[name] = tonumber(held[i] or '0') end
  local isNew, changed = c.e == 0, false
  if not isNew and (held[9] ~= ARGV[1] or known[1] > c.e) then
    ended(c, c.e, c.pb + c.pg, c.pb + c.pg + c.g, c.qb + c.pr, c.qb + c.pr + c.r)
    c.e, c.g, c.r, changed = 0, 0, 0, true
  end
  if known[1] > 0 and known[1] ~= c.e then
    local before = {c.p, c.pb, c.pg, c.qb, c.pr}
    ended(c, unpack(known, 1, 5))
    changed = changed or before[1] ~= c.p or before[2] ~= c.pb or before[3] ~= c.pg or before[4] ~= c.qb or before[5] ~= c.pr
  end
  local n, m = tonumber(held[10] or '0'), nil
  c.n = math.max(n, known[8])
  if known[6] > c.n then c.g, c.n = c.g + known[6] - c.n, known[6] end
  if known[7] > known[9] then
    m = known[7]
    c.r = c.r + math.max(0, m - math.max(tonumber(redis.call('HGET', key, ARGV[4]) or '0'), known[9]))
  end
  changed = changed or c.n > n or m ~= nil
  local function keep()
    if c.e == 0 then c.e = math.max(tonumber(ARGV[2]), c.p + 1) end
    redis.call('HSET', key, 'e', c.e, 's', ARGV[1], 'g', c.g, 'r', c.r, 'p', c.p, 'pb', c.pb, 'pg', c.pg, 'qb', c.qb, 'pr', c.pr, ARGV[3], c.n)
    if m then redis.call('HSET', key, ARGV[4], m) end
    if isNew then redis.call('EXPIRE', key, ttl) end
    isNew = false
  end
  if changed then keep() end
  c.total = function() return c.pb + c.pg + c.g end
  c.refunded = function() return c.qb + c.pr + c.r end
  c.used = function() return math.max(0, c.total() - c.refunded()) end
  c.add = function(units, back)
    c.g, c.n, c.r = c.g + units, c.n + units, c.r + back
    if isNew then keep()
    elseif units > 0 then redis.call('HSET', key, 'g', c.g, ARGV[3], c.n)
    else redis.call('HSET', key, 'r', c.r) end
  end
  c.answer = function(reply)
    for _, value in ipairs({c.e, c.pb + c.pg, c.total(), c.qb + c.pr, c.refunded(), c.n}) do reply[#reply + 1] = value end
  end
  return c
end
`;

type Argument = string | number;

export type Asker = readonly [server: string, generation: number, charged: string, givenBack: string];

/**
 * - `minuteUnits`: units of the minutes, which differ from those of the day where the minute has counted already.
 * - `day`: the day asked for, with the key that holds the latest one begun; needed where there are day counters.
 */
export interface ChargeQuestion {
  readonly asker: Asker;
  readonly units: number;
  readonly minuteUnits: number;
  readonly minutes: readonly { readonly key: string; readonly limit: number; readonly knownUse: number }[];
  readonly days: readonly { readonly key: string; readonly limit: number; readonly known: readonly number[] }[];
  readonly day: { readonly number: number; readonly latestKey: string | undefined };
  readonly daysAheadMax: number;
  readonly offsetMs: number;
  readonly marks: readonly string[];
  readonly ttlSec: { readonly minute: number; readonly day: number; readonly mark: number; readonly latestDay: number };
}

export function chargeArguments(asked: ChargeQuestion): [number, ...Argument[]] {
  const { asker, units, minuteUnits, minutes, days, day, daysAheadMax, offsetMs, marks, ttlSec } = asked;
  const latest = day.latestKey === undefined ? [] : [day.latestKey];
  const keys = [...minutes.map(({ key }) => key), ...days.map(({ key }) => key), ...latest, ...marks];
  return [
    keys.length,
    ...keys,
    ...asker,
    ...[units, minutes.length, days.length],
    ...[ttlSec.minute, ttlSec.day, ttlSec.mark],
    ...[day.number, daysAheadMax, ttlSec.latestDay, minuteUnits, offsetMs],
    ...minutes.flatMap(({ limit, knownUse }) => [limit, knownUse]),
    ...days.flatMap(({ limit, known }) => [limit, ...known]),
  ];
}

export interface GiveBackQuestion {
  readonly asker: Asker;
  readonly units: number;
  readonly days: readonly { readonly key: string; readonly known: readonly number[] }[];
  readonly marks: readonly [made: string, givenBack: string];
  readonly isUncertain: boolean;
  readonly ttlSec: { readonly mark: number; readonly day: number };
}

export function giveBackArguments(asked: GiveBackQuestion): [number, ...Argument[]] {
  const { asker, units, days, marks, isUncertain, ttlSec } = asked;
  const keys = [...days.map(({ key }) => key), ...marks];
  const known = days.flatMap((day) => day.known);
  return [keys.length, ...keys, ...asker, units, ttlSec.mark, ttlSec.day, isUncertain ? 1 : 0, ...known];
}

/**
 * KEYS: minute counters, day counters; with day counters the number of the latest day begun; for marked
 * charges the charge's mark and its void mark.
 * ARGV after the first four: units, numbers of minute and day counters, three lifetimes; the day asked for, how
 * many days ahead a later day may be and stay in force, the lifetime of the latest day's number, units of the
 * minutes, and the server's clock less the node's as the node knows it. Then follow, for each minute counter, its limit and the use known to the node, and for each
 * day counter its limit and what the node knows.
 * Replies status, index of the refusing counter, uses of the minutes, and the day counters; of a day that
 * refuses, that counter alone. Status 4 means that a later day, the second value, is in force, and 5 that the
 * clocks are further apart than a slow answer explains; nothing was counted then.
 */
export const CHARGE = `${COUNTED}
local units, minutes, days = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local minuteTtl, dayTtl, markTtl = ARGV[8], ARGV[9], ARGV[10]
local day, kept, latestTtl = tonumber(ARGV[11]), tonumber(ARGV[12]), ARGV[13]
local minuteUnits = tonumber(ARGV[14])
local time = redis.call('TIME')
if math.abs(time[1] * 1000 + time[2] / 1000 - ARGV[2] - ARGV[15]) > 1000 then return {5} end
local marks = minutes + days
local latest = day
if days > 0 then
  marks = marks + 1
  latest = tonumber(redis.call('GET', KEYS[marks]) or '0')
  if latest > day and latest - day <= kept then return {4, latest} end
end
if #KEYS > marks and redis.call('EXISTS', KEYS[marks + 2]) == 1 then return {3} end
local reply = {0, 0}
for i = 1, minutes do
  local used = math.max(tonumber(redis.call('GET', KEYS[i]) or '0'), tonumber(ARGV[15 + 2 * i]))
  if used + minuteUnits > tonumber(ARGV[14 + 2 * i]) then return {1, i, used} end
  reply[2 + i] = used + minuteUnits
end
if minuteUnits > 0 then
  for i = 1, minutes do redis.call('SET', KEYS[i], reply[2 + i], 'EX', minuteTtl) end
end
local found = {}
for i = 1, days do
  local at = 6 + 2 * minutes + 10 * i
  found[i] = counted(KEYS[minutes + i], dayTtl, at + 1)
  if found[i].used() + units > tonumber(ARGV[at]) then
    reply[1], reply[2] = 2, i
    found[i].answer(reply)
    return reply
  end
end
for i = 1, days do
  if units > 0 then found[i].add(units, 0) end
  found[i].answer(reply)
end
if days > 0 and units > 0 then
  if latest ~= day then redis.call('SET', KEYS[marks], ARGV[11], 'EX', latestTtl) end
  if #KEYS > marks then redis.call('SET', KEYS[marks + 1], '1', 'EX', markTtl) end
end
return reply
`;

/** KEYS: a day counter. ARGV after the first four: its lifetime and what the node knows. Replies the counter. */
export const SETTLE = `${COUNTED}
local reply = {}
counted(KEYS[1], ARGV[5], 6).answer(reply)
return reply
`;

/**
 * KEYS: day counters, the charge's mark, its void mark. Repeated calls give back only once.
 * ARGV after the first four: units, lifetimes of the marks and of the counters, and 1 when it is unknown whether
 * the charge was made: units return only if its mark exists, and a charge that arrives later finds the void mark
 * and is refused. Then follows what the node knows of each counter.
 * Replies 0 when there was nothing to give back; else 1, and the counters.
 */
export const GIVE_BACK = `${COUNTED}
local units, markTtl, dayTtl = tonumber(ARGV[5]), ARGV[6], ARGV[7]
local days = #KEYS - 2
if not redis.call('SET', KEYS[days + 2], '1', 'NX', 'EX', markTtl) then return {0} end
if ARGV[8] == '1' and redis.call('EXISTS', KEYS[days + 1]) == 0 then return {0} end
local reply = {1}
for i = 1, days do
  local c = counted(KEYS[i], dayTtl, 9 * i)
  if c.used() >= units then c.add(0, units) end
  c.answer(reply)
end
return reply
`;

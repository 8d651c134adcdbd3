/**
 * Each script is one atomic step on the server. All keys carry one hash tag, so they work on a cluster too. A
 * counter is a string that expires with its window, so open windows bound the memory.
 */

/**
 * KEYS are counters. ARGV holds for each its limit and its window in milliseconds. Replies 0 when all were
 * counted; else none was, and the reply is the milliseconds until the full window ends.
 */
export const TAKE = `
for i = 1, #KEYS do
  if tonumber(redis.call('GET', KEYS[i]) or '0') >= tonumber(ARGV[2 * i - 1]) then
    return math.max(1, redis.call('PTTL', KEYS[i]))
  end
end
for i = 1, #KEYS do
  if redis.call('INCR', KEYS[i]) == 1 then redis.call('PEXPIRE', KEYS[i], ARGV[2 * i]) end
end
return 0
`;

export const GIVE_BACK = `
for i = 1, #KEYS do
  if tonumber(redis.call('GET', KEYS[i]) or '0') > 0 then redis.call('DECR', KEYS[i]) end
end
return 1
`;

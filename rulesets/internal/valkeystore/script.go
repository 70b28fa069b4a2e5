package valkeystore

import "github.com/redis/go-redis/v9"

// The scripts take the hash as their first key and, where both live on one
// server, the index as their second. The last arguments are the name, the
// channel and its message.

// createScript returns 0 when the name is taken. Arguments: score, the five
// fields' values, name, channel, message, the extra keys or "".
var createScript = redis.NewScript(`
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'description', ARGV[2], 'tags', ARGV[3], 'markdown', ARGV[4], 'created_at', ARGV[5], 'last_modified', ARGV[6])
if ARGV[10] ~= '' then redis.call('HSET', KEYS[1], 'extra', ARGV[10]) end
if KEYS[2] then redis.call('ZADD', KEYS[2], ARGV[1], ARGV[7]) end
redis.call('PUBLISH', ARGV[8], ARGV[9])
return 1`)

// updateScript returns the hash as it is then, or nothing when there is none.
// Arguments: now, channel, message, the number of fields that must be as expected,
// these fields and their values, then the fields to set and their values; extra
// keys that are "" are removed. Where an expected value differs, nothing is
// changed and the hash comes with a first element of "conflict". last_modified
// never goes back; one that is not written our way is replaced.
var updateScript = redis.NewScript(`
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then return {} end
local set = 5 + 2 * tonumber(ARGV[4])
for i = 5, set - 1, 2 do
  if (redis.call('HGET', KEYS[1], ARGV[i]) or '') ~= ARGV[i + 1] then
    local current = redis.call('HGETALL', KEYS[1])
    table.insert(current, 1, 'conflict')
    return current
  end
end
for i = set, #ARGV, 2 do
  if ARGV[i] == 'extra' and ARGV[i + 1] == '' then
    redis.call('HDEL', KEYS[1], 'extra')
  else
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
  end
end
local old = redis.call('HGET', KEYS[1], 'last_modified')
if not old or #old ~= #ARGV[1] or string.sub(old, -1) ~= 'Z' or old < ARGV[1] then
  redis.call('HSET', KEYS[1], 'last_modified', ARGV[1])
end
redis.call('PUBLISH', ARGV[2], ARGV[3])
return redis.call('HGETALL', KEYS[1])`)

// dropScript takes names out of the index whose hash has gone; one that was
// created in the meantime stays. Keys: index, hashes; arguments: their names.
var dropScript = redis.NewScript(`
for i, name in ipairs(ARGV) do
  if redis.call('TYPE', KEYS[i + 1]).ok ~= 'hash' then redis.call('ZREM', KEYS[1], name) end
end
return 1`)

// deleteScript returns 0 when there is nothing. Arguments: name, channel,
// message.
var deleteScript = redis.NewScript(`
if KEYS[2] then redis.call('ZREM', KEYS[2], ARGV[1]) end
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then return 0 end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', ARGV[2], ARGV[3])
return 1`)

package valkeystore

import (
	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// The scripts take the hash and its history as their first keys and, where they live
// on one server, the index and the names as their third and fourth. Cluster hash tags
// keep the first two together. Arguments of every change: the time, the channel, its
// message, the author, the client, the message and the restored number of the revision, the
// token of the change, and whether it was sent before ("1").

// history holds the functions that the scripts share.
//
// current returns the content of the hash as a table, false if it is no hash. record
// appends a revision, with the files of the one before. head returns the newest revision,
// recording first what another program has made of the hash: a new content, or its end. made
// returns the revision that the change has made when it was sent before, and whether it is
// the newest one.
const history = `
local contentFields = {'description', 'tags', 'markdown', 'extra'}
local function current()
  if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then return false end
  local values, content = redis.call('HMGET', KEYS[1], unpack(contentFields)), {}
  for i, field in ipairs(contentFields) do content[field] = values[i] or '' end
  return content
end
local files -- of the newest revision
local function record(rev, content, author, client, message, restores, token)
  local r = content or {deleted = true}
  r.token = token
  r.rev, r.at, r.author, r.client, r.message, r.restores = rev, ARGV[1], author, client, message, restores
  r.files = files
  redis.call('RPUSH', KEYS[2], cjson.encode(r))
  return rev
end
local function same(r, content)
  if r.deleted then return content == false end
  if not content then return false end
  for _, field in ipairs(contentFields) do
    if r[field] ~= content[field] then return false end
  end
  return true
end
local function head(content)
  local last = redis.call('LINDEX', KEYS[2], -1)
  if not last then
    if not content then return 0 end
    return record(1, content, '', '', '', 0)
  end
  local r = cjson.decode(last)
  files = r.files
  if same(r, content) then return r.rev end
  return record(r.rev + 1, content, '` + ruleset.ByOther + `', '', '', 0)
end
local function made()
  if ARGV[9] ~= '1' then return nil end
  local lines = redis.call('LRANGE', KEYS[2], ` + tokenReach + `, -1)
  for i = #lines, 1, -1 do
    if string.find(lines[i], ARGV[8], 1, true) then
      local r = cjson.decode(lines[i])
      if r.token == ARGV[8] then
        files = r.files
        return r, i == #lines
      end
    end
  end
  return nil
end
local function enter(score, name)
  if KEYS[3] then
    redis.call('ZADD', KEYS[3], score, name)
    redis.call('ZADD', KEYS[4], 0, name)
  end
end
local function leave(name)
  if KEYS[3] then
    redis.call('ZREM', KEYS[3], name)
    redis.call('ZREM', KEYS[4], name)
  end
end
local function hash(rev, kind)
  local reply = redis.call('HGETALL', KEYS[1])
  table.insert(reply, 1, files and cjson.encode(files) or 'null')
  table.insert(reply, 1, tostring(rev))
  table.insert(reply, 1, kind)
  return reply
end
`

// createScript returns the number of the revision and its files, nothing when the name is
// taken. Further
// arguments: the score, the five fields' values, the name, the extra keys or "".
var createScript = redis.NewScript(history + `
local mine = made()
if mine then return {tostring(mine.rev), files and cjson.encode(files) or 'null'} end
if redis.call('EXISTS', KEYS[1]) == 1 then return {} end
local rev = head(false) + 1
redis.call('HSET', KEYS[1], 'description', ARGV[11], 'tags', ARGV[12], 'markdown', ARGV[13], 'created_at', ARGV[14], 'last_modified', ARGV[15])
if ARGV[17] ~= '' then redis.call('HSET', KEYS[1], 'extra', ARGV[17]) end
record(rev, current(), ARGV[4], ARGV[5], ARGV[6], tonumber(ARGV[7]), ARGV[8])
enter(ARGV[10], ARGV[16])
redis.call('PUBLISH', ARGV[2], ARGV[3])
return {tostring(rev), files and cjson.encode(files) or 'null'}`)

// updateScript returns "done", the number of the revision, its files and the hash as it is
// then, or nothing when there is no hash. Further arguments: the revision that the
// ruleset must be at or 0, the number of fields that must be as expected, these
// fields and their values, then the fields to set and their values; extra keys that
// are "" are removed. Where a condition does not hold, nothing is changed and the
// first element is "conflict". last_modified never goes back; one that is not
// written our way is replaced.
var updateScript = redis.NewScript(history + `
local mine, newest = made()
if mine and newest then return hash(mine.rev, 'done') end
if mine then
  local reply = {'done', tostring(mine.rev), files and cjson.encode(files) or 'null', 'last_modified', mine.at,
    'created_at', redis.call('HGET', KEYS[1], 'created_at') or mine.at}
  for _, field in ipairs(contentFields) do
    reply[#reply + 1] = field
    reply[#reply + 1] = mine[field]
  end
  return reply
end
local before = current()
if not before then return {} end
local rev = head(before)
if ARGV[10] ~= '0' and ARGV[10] ~= tostring(rev) then return hash(rev, 'conflict') end
local set = 12 + 2 * tonumber(ARGV[11])
for i = 12, set - 1, 2 do
  if (redis.call('HGET', KEYS[1], ARGV[i]) or '') ~= ARGV[i + 1] then return hash(rev, 'conflict') end
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
local after = current()
local changed = false
for _, field in ipairs(contentFields) do changed = changed or before[field] ~= after[field] end
if changed then rev = record(rev + 1, after, ARGV[4], ARGV[5], ARGV[6], tonumber(ARGV[7]), ARGV[8]) end
redis.call('PUBLISH', ARGV[2], ARGV[3])
return hash(rev, 'done')`)

// placeScript returns "at", the number of the revision, its files and the hash that is at it, or
// nothing when there is no hash, and records a revision that another program has made.
// Its only argument is the time.
var placeScript = redis.NewScript(history + `
local content = current()
local rev = head(content)
if not content then return {} end
return hash(rev, 'at')`)

// dropScript takes names out of the index whose hash has gone; one that was
// created in the meantime stays. Keys: index, names, hashes; arguments: their names.
var dropScript = redis.NewScript(`
for i, name in ipairs(ARGV) do
  if redis.call('TYPE', KEYS[i + 2]).ok ~= 'hash' then
    redis.call('ZREM', KEYS[1], name)
    redis.call('ZREM', KEYS[2], name)
  end
end
return 1`)

// deleteScript returns "done", "conflict" with the revision, its files and the hash, or nothing
// when there is no hash. Further arguments: the name, the revision that the ruleset
// must be at or 0.
var deleteScript = redis.NewScript(history + `
if made() then return {'done'} end
local content = current()
if not content then
  leave(ARGV[10])
  return {}
end
local rev = head(content)
if ARGV[11] ~= '0' and ARGV[11] ~= tostring(rev) then return hash(rev, 'conflict') end
leave(ARGV[10])
redis.call('DEL', KEYS[1])
record(rev + 1, false, ARGV[4], ARGV[5], ARGV[6], tonumber(ARGV[7]), ARGV[8])
redis.call('PUBLISH', ARGV[2], ARGV[3])
return {'done'}`)

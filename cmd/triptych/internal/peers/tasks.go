package peers

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/peer"
)

// The bounds of the tasks of one principal at all servers.
const (
	maxTasks     = 200
	maxTaskBytes = 32 << 20
)

// tasksChannel carries the changes of tasks: the tag of the server, the id of the task
// and the principal, with spaces between.
const tasksChannel = "triptych:tasks"

// Tasks keeps the states of tasks in a store. It implements [host.TaskStore]. A task is a
// hash triptych:task:{OWNER}:ID of its version, state, server and whether it has ended;
// sorted sets hold the times at which the tasks of an owner expire, and their bytes. OWNER
// is a hash of the principal's name, which may have any characters.
type Tasks struct {
	client   redis.UniversalClient
	servers  *Registry
	maxBytes int // of one principal
}

var _ host.TaskStore = (*Tasks)(nil)

// NewTasks returns the tasks of a store.
func NewTasks(client redis.UniversalClient, servers *Registry) *Tasks {
	return &Tasks{client, servers, maxTaskBytes}
}

// keysOf returns the keys of a task and of the sets of its owner.
func (t *Tasks) keysOf(principal, id string) []string {
	owner, prefix := ownerOf(principal), t.servers.prefix+"triptych:task"
	return []string{prefix + ":" + owner + ":" + id, prefix + "-ends:" + owner, prefix + "-bytes:" + owner}
}

// saveTask writes a task if its version is the stored one. For one that is new, or that
// grows, it forgets ended tasks of the owner, those that expire first, until there is
// room. Arguments: id, version, state, server, 1 if it has ended, now and the time at which
// it expires in milliseconds, the most tasks and bytes, and the time for which the sets are
// kept, which is longer than any task.
var saveTask = redis.NewScript(`
local id, version, size = ARGV[1], tonumber(ARGV[2]), #ARGV[3]
local stored = tonumber(redis.call('HGET', KEYS[1], 'version') or '0')
if stored ~= version then return 'changed' end
local expired = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', ARGV[6])
for _, old in ipairs(expired) do
  redis.call('ZREM', KEYS[2], old)
  redis.call('ZREM', KEYS[3], old)
end
local prefix = string.sub(KEYS[1], 1, -#id - 1)
local count, bytes = 0, 0
local entries = redis.call('ZRANGE', KEYS[3], 0, -1, 'WITHSCORES')
for i = 1, #entries, 2 do
  if entries[i] ~= id then
    count = count + 1
    bytes = bytes + tonumber(entries[i+1])
  end
end
if count >= tonumber(ARGV[8]) or bytes + size > tonumber(ARGV[9]) then
  for _, old in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
    if count < tonumber(ARGV[8]) and bytes + size <= tonumber(ARGV[9]) then break end
    if old ~= id and redis.call('HGET', prefix .. old, 'final') ~= '0' then
      bytes = bytes - tonumber(redis.call('ZSCORE', KEYS[3], old) or '0')
      count = count - 1
      redis.call('DEL', prefix .. old)
      redis.call('ZREM', KEYS[2], old)
      redis.call('ZREM', KEYS[3], old)
    end
  end
  if count >= tonumber(ARGV[8]) or bytes + size > tonumber(ARGV[9]) then return 'room' end
end
redis.call('HSET', KEYS[1], 'version', version + 1, 'state', ARGV[3], 'final', ARGV[5])
redis.call('HSETNX', KEYS[1], 'server', ARGV[4])
redis.call('PEXPIREAT', KEYS[1], ARGV[7])
redis.call('ZADD', KEYS[2], ARGV[7], id)
redis.call('ZADD', KEYS[3], size, id)
redis.call('PEXPIRE', KEYS[2], ARGV[10])
redis.call('PEXPIRE', KEYS[3], ARGV[10])
return 'saved'`)

// Save implements [host.TaskStore].
func (t *Tasks) Save(ctx context.Context, r *host.TaskRecord) error {
	ctx, stop := context.WithTimeout(ctx, storeWait)
	defer stop()
	final := 0
	if r.Final {
		final = 1
	}
	outcome, err := saveTask.Run(ctx, t.client, t.keysOf(r.Principal, r.ID), r.ID, r.Version, r.Text, t.servers.Tag(), final,
		time.Now().UnixMilli(), r.Expires.UnixMilli(), maxTasks, t.maxBytes, serverLife.Milliseconds()*2).Text()
	switch {
	case err != nil:
		return err
	case outcome == "changed":
		return host.ErrTaskChanged
	case outcome == "room":
		return host.ErrNoRoom
	}
	r.Version++
	_ = t.client.Publish(ctx, t.servers.prefix+tasksChannel, t.servers.Tag()+" "+r.ID+" "+r.Principal).Err() // servers compare their tasks with the store, too
	return nil
}

// goneTasks is the time after which a server that does not show that it runs has lost its
// tasks.
const goneTasks = 30 * time.Second

// Load implements [host.TaskStore].
func (t *Tasks) Load(ctx context.Context, principal, id string) (*host.TaskRecord, error) {
	ctx, stop := context.WithTimeout(ctx, storeWait)
	defer stop()
	key := t.keysOf(principal, id)[0]
	both := t.client.Pipeline()
	fields, left := both.HGetAll(ctx, key), both.PTTL(ctx, key)
	if _, err := both.Exec(ctx); err != nil {
		return nil, err
	}
	task := fields.Val()
	if len(task) == 0 {
		return nil, host.ErrNoTask
	}
	version, err := strconv.ParseInt(task["version"], 10, 64)
	if err != nil {
		return nil, fmt.Errorf("task %s: %w", id, err)
	}
	return &host.TaskRecord{
		Principal: principal, ID: id, Version: version, Final: task["final"] == "1", Expires: time.Now().Add(left.Val()),
		Text: []byte(task["state"]), Lost: task["final"] != "1" && t.isLost(ctx, task["server"]),
	}, nil
}

// isLost reports whether the tasks of a server are lost. While that cannot be known they
// are not.
func (t *Tasks) isLost(ctx context.Context, server string) bool {
	if server == t.servers.Tag() {
		return false
	}
	_, age, err := t.servers.Lookup(ctx, server)
	return errors.Is(err, peer.ErrUnknown) || err == nil && age > goneTasks
}

// Remove implements [host.TaskStore].
func (t *Tasks) Remove(ctx context.Context, principal, id string) error {
	ctx, stop := context.WithTimeout(ctx, storeWait)
	defer stop()
	keys := t.keysOf(principal, id)
	all := t.client.Pipeline()
	all.Del(ctx, keys[0])
	all.ZRem(ctx, keys[1], id)
	all.ZRem(ctx, keys[2], id)
	_, err := all.Exec(ctx)
	return err
}

// Watch implements [host.TaskStore].
func (t *Tasks) Watch(ctx context.Context, changed func(principal, id string)) error {
	listen(ctx, t.client, t.servers.prefix+tasksChannel, t.servers.Tag(), func(event string) {
		if id, principal, ok := strings.Cut(event, " "); ok {
			changed(principal, id)
		}
	})
	return nil
}

package peers

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/transport/streamable"
)

const (
	// sessionsChannel carries events of sessions: the id of the server that sends the
	// event, a space, the event.
	sessionsChannel = "triptych:sessions"
	// endedPrefix and the id of a session name the key that marks it as ended.
	endedPrefix = "triptych:session-ended:"
	// openPrefix and the hash of a principal's name begin the name of the sorted set of
	// its sessions, by the time at which they end if they are not used.
	openPrefix = "triptych:sessions-of:"
)

// Sessions connects the servers of a store, so that clients can continue their sessions
// at any of them. It implements [streamable.Peers].
type Sessions struct {
	client redis.UniversalClient
	prefix string
	self   string // identifies the events of this server
	log    *slog.Logger
}

var _ streamable.Peers = (*Sessions)(nil)

// NewSessions returns the sessions of a store. The names of all keys begin with prefix.
func NewSessions(client redis.UniversalClient, prefix string, log *slog.Logger) *Sessions {
	return &Sessions{client, prefix, rand.Text(), log.With("component", "peers")}
}

// beginScript adds a session to those of a principal unless the principal has reached the
// limit, and reports whether it did. It never shortens the time for which an existing
// session is counted. Arguments: the id; now, and the time until which the session is
// counted, in milliseconds; the limit; how long the set lives.
var beginScript = redis.NewScript(`
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[2])
local ends = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not ends and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[4]) then return 0 end
if not ends or tonumber(ends) < tonumber(ARGV[3]) then redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1]) end
redis.call('PEXPIRE', KEYS[1], ARGV[5])
return 1`)

// Begin implements [streamable.Peers].
func (p *Sessions) Begin(ctx context.Context, principal, session string, idle time.Duration, most int) (bool, error) {
	ctx, stop := context.WithTimeout(ctx, storeWait)
	defer stop()
	now := time.Now()
	return beginScript.Run(ctx, p.client, []string{p.prefix + openPrefix + ownerOf(principal)}, session,
		now.UnixMilli(), now.Add(idle).UnixMilli(), most, streamable.SessionLife.Milliseconds()).Bool()
}

// Publish implements [streamable.Peers].
func (p *Sessions) Publish(ctx context.Context, event []byte) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), storeWait)
	defer stop()
	if err := p.client.Publish(ctx, p.prefix+sessionsChannel, p.self+" "+string(event)).Err(); err != nil {
		p.log.Warn("other servers are not told", "err", err)
	}
}

// End implements [streamable.Peers].
func (p *Sessions) End(ctx context.Context, principal, session string) error {
	ctx, stop := context.WithTimeout(ctx, storeWait)
	defer stop()
	if err := p.client.Set(ctx, p.prefix+endedPrefix+session, "", streamable.SessionLife).Err(); err != nil {
		return err
	}
	return p.client.ZRem(ctx, p.prefix+openPrefix+ownerOf(principal), session).Err()
}

// Ended implements [streamable.Peers].
func (p *Sessions) Ended(ctx context.Context, session string) (bool, error) {
	ctx, stop := context.WithTimeout(ctx, storeWait)
	defer stop()
	n, err := p.client.Exists(ctx, p.prefix+endedPrefix+session).Result()
	return n > 0, err
}

// Listen passes the events of other servers to a function until ctx is done.
func (p *Sessions) Listen(ctx context.Context, deliver func(context.Context, []byte)) error {
	listen(ctx, p.client, p.prefix+sessionsChannel, p.self, func(event string) { deliver(ctx, []byte(event)) })
	return nil
}

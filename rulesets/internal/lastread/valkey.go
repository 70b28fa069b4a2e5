package lastread

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/rulesets/valkeyconn"
)

const (
	// valkeyWait bounds one operation.
	valkeyWait = 3 * time.Second
	// valkeyLife is the time for which the reads of a client stay after the last one.
	valkeyLife = 24 * time.Hour
	// valkeyRenew is the time after which a read is sent again, so that it stays.
	valkeyRenew = time.Hour
)

// Valkey is a record that the servers of a Valkey or Redis server, or a cluster of them,
// share. The hash rulesets:read:ID, behind the prefix of the installation, has the revision
// of each name that a client read; ID is a digest, since the id of a session is a secret.
// Reads that the server got from this process in the last hour are not sent again.
type Valkey struct {
	local  *Memory
	prefix string
	dial   func() (redis.UniversalClient, error)
	now    func() time.Time

	mu     sync.Mutex
	client redis.UniversalClient // nil before the first use
	closed bool
}

var _ Record = (*Valkey)(nil)

// OpenValkey returns the record on the server of a URL (package valkeyconn says which there
// are). It connects when the first client needs it, which those over standard input never do.
func OpenValkey(ctx context.Context, url, prefix string, log *slog.Logger) *Valkey {
	ctx = context.WithoutCancel(ctx)
	return &Valkey{local: NewMemory(), prefix: prefix + "rulesets:read:", now: time.Now, dial: func() (redis.UniversalClient, error) {
		client, _, err := valkeyconn.Dial(ctx, url, log)
		return client, err
	}}
}

// connected returns the client of the server.
func (v *Valkey) connected() (redis.UniversalClient, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.client != nil {
		return v.client, nil
	}
	if v.closed {
		return nil, redis.ErrClosed
	}
	client, err := v.dial()
	if err == nil {
		v.client = client
	}
	return client, err
}

// Close implements [Record].
func (v *Valkey) Close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.closed = true
	if v.client == nil {
		return nil
	}
	return v.client.Close()
}

// Read implements [Record].
func (v *Valkey) Read(ctx context.Context, who Reader, name ruleset.Name, rev int) error {
	if err := v.local.Read(ctx, who, name, rev); err != nil || who.Local {
		return err
	}
	id, now := who.shared(), v.now().Unix()
	if sent := v.local.sent(id, name); sent != 0 && now-sent < int64(valkeyRenew/time.Second) {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, valkeyWait)
	defer stop()
	client, err := v.connected()
	if err != nil {
		return unavailable(err)
	}
	key := v.key(&who)
	_, err = client.Pipelined(ctx, func(p redis.Pipeliner) error {
		if rev == 0 {
			p.HDel(ctx, key, string(name))
			return nil
		}
		p.HSet(ctx, key, string(name), rev)
		p.Expire(ctx, key, valkeyLife)
		return nil
	})
	if err != nil {
		return unavailable(err)
	}
	v.local.setSent(id, name, rev, now)
	return nil
}

// Last implements [Record]. The server can have an older revision than this process, which it
// could not reach when the later one was read.
func (v *Valkey) Last(ctx context.Context, who Reader, name ruleset.Name) (int, error) {
	ids, n := who.identities()
	if n > 1 { // the connection is with this server
		if rev := v.local.last(ids[:1], name); rev != 0 {
			return rev, nil
		}
	}
	here := v.local.last(ids[:n], name)
	if who.Local {
		return here, nil
	}
	ctx, stop := context.WithTimeout(ctx, valkeyWait)
	defer stop()
	client, err := v.connected()
	if err != nil {
		return 0, unavailable(err)
	}
	rev, err := client.HGet(ctx, v.key(&who), string(name)).Int()
	if errors.Is(err, redis.Nil) {
		return here, nil
	}
	if err != nil {
		return 0, unavailable(err)
	}
	return max(here, rev), nil
}

// End implements [Record]. The session may go on at another server: what the store has
// stays until it expires.
func (v *Valkey) End(session string) { v.local.End(session) }

// key returns the key of the reads of a client.
func (v *Valkey) key(who *Reader) string {
	text := "session\x00" + who.Session
	if who.Session == "" {
		text = "machine\x00" + who.Principal + "\x00" + who.Program + "\x00" + who.Addr.Addr().String()
	}
	sum := sha256.Sum256([]byte(text))
	return v.prefix + hex.EncodeToString(sum[:16])
}

// unavailable returns the error of a server that could not be asked.
func unavailable(err error) error { return &ruleset.UnavailableError{Store: "Valkey", Err: err} }

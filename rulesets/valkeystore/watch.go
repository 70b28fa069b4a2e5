package valkeystore

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

const (
	// scanEvery is how often a watch looks for hashes of other programs.
	scanEvery = time.Minute
	// retryEvery is how often a watch tries to reach a server that is away.
	retryEvery = 500 * time.Millisecond
	// listenFor is how long a watch listens before it looks at the clock.
	listenFor = time.Second
)

// kinds are what our messages and the server's keyspace events mean.
var kinds = map[string]ruleset.ChangeKind{
	"c": ruleset.Created, "u": ruleset.Updated, "d": ruleset.Deleted,
	"hset": ruleset.Updated, "hdel": ruleset.Updated, "del": ruleset.Deleted, "expired": ruleset.Deleted,
}

// Watch implements [ruleset.Store]. After the server was away it reports that
// anything may have changed.
func (s *Store) Watch(ctx context.Context, changed func(ruleset.Change)) error {
	keyspace := fmt.Sprintf("__keyspace@%d__:%s", s.db, hashPrefix)
	events := s.client.Subscribe(ctx, channel)
	defer func() { _ = events.Close() }() // nothing to lose
	if err := events.PSubscribe(ctx, keyspace+"*"); err != nil {
		s.log.Debug("keyspace events are not heard", "component", "valkey", "err", err)
	}
	away, scanned := false, time.Now()
	for ctx.Err() == nil {
		message, err := events.ReceiveTimeout(ctx, listenFor)
		switch {
		case err == nil && away:
			away = false
			changed(ruleset.Change{Kind: ruleset.Unknown})
		case err == nil:
			s.tell(message, keyspace, changed)
		case !isTimeout(err):
			away = true
			pause(ctx, retryEvery)
		}
		if time.Since(scanned) > scanEvery {
			scanned = time.Now()
			if found, err := s.scan(ctx); err == nil && found {
				changed(ruleset.Change{Kind: ruleset.Unknown})
			}
		}
	}
	return nil
}

func isTimeout(err error) bool {
	netErr, ok := errors.AsType[net.Error](err)
	return ok && netErr.Timeout()
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// tell passes a message on. A change of ours is heard twice where the server
// sends keyspace events; telling twice does no harm.
func (s *Store) tell(message any, keyspace string, changed func(ruleset.Change)) {
	m, ok := message.(*redis.Message)
	if !ok {
		return // the subscription itself
	}
	kind, name, _ := strings.Cut(m.Payload, ":")
	if m.Channel != channel {
		kind, name = m.Payload, strings.TrimPrefix(m.Channel, keyspace)
	}
	valid, err := ruleset.ParseName(name)
	if kinds[kind] == 0 || err != nil {
		return
	}
	changed(ruleset.Change{Kind: kinds[kind], Name: valid})
}

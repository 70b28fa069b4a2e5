package valkeystore

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

const (
	// scanEvery is the interval at which a watch scans for hashes of other programs.
	scanEvery = time.Minute
	// retryEvery is the interval at which a watch reconnects.
	retryEvery = 500 * time.Millisecond
	// scanRest is the pause between two commands of a scan.
	scanRest = 10 * time.Millisecond
	// listenFor is the silence after which a watch pings the server.
	listenFor = 5 * time.Second
)

// kinds maps our messages and the server's keyspace events to changes.
var kinds = map[string]ruleset.ChangeKind{
	"c": ruleset.Created, "u": ruleset.Updated, "d": ruleset.Deleted, "l": ruleset.Labelled,
	"hset": ruleset.Updated, "hdel": ruleset.Updated, "del": ruleset.Deleted, "expired": ruleset.Deleted,
}

// Watch implements [ruleset.Store]. After the server was away it reports that
// anything may have changed. Where the server is away at first, it begins later.
func (s *Store) Watch(ctx context.Context, changed func(ruleset.Change)) error {
	var mu sync.Mutex // messages and scans tell from two goroutines
	tell := func(c ruleset.Change) {
		mu.Lock()
		defer mu.Unlock()
		changed(c)
	}
	var wg sync.WaitGroup
	wg.Go(func() { s.rescan(ctx, tell) })
	defer wg.Wait()
	first := ruleset.Change{Kind: ruleset.Began}
	for ctx.Err() == nil {
		err := s.listen(ctx, tell, func() {
			tell(first)
			first.Kind = ruleset.Unknown
		})
		if ctx.Err() == nil {
			s.log.Debug("changes are not heard for now", "component", "valkey", "err", err)
			pause(ctx, retryEvery)
		}
	}
	return nil
}

// rescan looks for hashes of other programs now and then.
func (s *Store) rescan(ctx context.Context, tell func(ruleset.Change)) {
	for {
		pause(ctx, scanEvery)
		if ctx.Err() != nil {
			return
		}
		if leased, err := s.leaseScan(ctx); err != nil || !leased {
			continue
		}
		found, err := s.scan(ctx, scanRest)
		_ = s.client.PExpire(ctx, s.key.scan(), scanEvery*9/10).Err() // else the lease ends later
		if err == nil && found {
			tell(ruleset.Change{Kind: ruleset.Unknown})
			_ = s.client.Publish(ctx, s.key.channel(), foundKind+":").Err() // the other servers; they see it when they list
		}
	}
}

const (
	// scanLease limits the time for which one server scans while the others do not.
	scanLease = 5 * time.Minute
	// foundKind tells other servers that a scan has found rulesets.
	foundKind = "f"
)

// leaseScan reports whether this server is to scan: of those that share a database, one
// does in each interval.
func (s *Store) leaseScan(ctx context.Context) (bool, error) {
	ctx, stop := context.WithTimeout(ctx, opTimeout)
	defer stop()
	return s.client.SetNX(ctx, s.key.scan(), "", scanLease).Result()
}

// listen passes on what one subscription hears, until it breaks. A connection
// that is silent is pinged, and given up when it does not answer. begun is called when the
// server has answered to both requests to subscribe.
func (s *Store) listen(ctx context.Context, tell func(ruleset.Change), begun func()) error {
	keyspace := fmt.Sprintf("__keyspace@%d__:%s", s.db, hashPrefix)
	events := s.client.Subscribe(ctx, s.key.channel())
	closeEvents := sync.OnceFunc(func() { _ = events.Close() }) // nothing to lose
	defer closeEvents()
	defer context.AfterFunc(ctx, closeEvents)()
	if err := events.PSubscribe(ctx, keyspace+"*"); err != nil {
		return err
	}
	for unanswered, pinged := 2, false; ; {
		message, err := events.ReceiveTimeout(ctx, listenFor)
		if _, answer := message.(*redis.Subscription); answer || isRefusal(err) {
			if unanswered--; unanswered == 0 {
				begun()
			}
		}
		switch {
		case err == nil:
			pinged = false
			s.pass(message, keyspace, tell)
		case isRefusal(err):
			s.log.Warn("some changes of other programs are not heard", "component", "valkey", "err", err)
		case !isTimeout(err) || pinged:
			return err
		default:
			pinged = true
			if err := events.Ping(ctx); err != nil {
				return err
			}
		}
	}
}

// isRefusal reports that the user may not listen to some channel; the
// subscription to the others stands.
func isRefusal(err error) bool { return redis.HasErrorPrefix(err, "NOPERM") }

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

// pass tells of a message. A change of ours is heard twice where the server
// sends keyspace events; telling twice does no harm.
func (s *Store) pass(message any, keyspace string, tell func(ruleset.Change)) {
	m, ok := message.(*redis.Message)
	if !ok {
		return // the subscription itself
	}
	kind, name, _ := strings.Cut(m.Payload, ":")
	if m.Channel != s.key.channel() {
		kind, name = m.Payload, strings.TrimPrefix(m.Channel, keyspace)
	}
	if kind == foundKind {
		tell(ruleset.Change{Kind: ruleset.Unknown})
		return
	}
	name, label, _ := strings.Cut(name, ":")
	valid, err := ruleset.ParseName(name)
	if kinds[kind] == 0 || err != nil {
		return
	}
	tell(ruleset.Change{Kind: kinds[kind], Name: valid, Label: ruleset.Label(label)})
}

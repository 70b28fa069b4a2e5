package servecmd

import (
	"context"
	"crypto/rand"
	"log/slog"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/transport/streamable"
)

const (
	// peersChannel carries what one server tells the others about sessions: the id of
	// the server, a space, the event.
	peersChannel = "triptych:sessions"
	// endedPrefix and the id of a session name the key that marks it as ended.
	endedPrefix = "triptych:session-ended:"
	// peersWait limits one request to the store.
	peersWait = 2 * time.Second
)

// storePeers are the other servers of a store, which implements [streamable.Peers].
type storePeers struct {
	client redis.UniversalClient
	self   string // begins our own events
	log    *slog.Logger
}

func newStorePeers(client redis.UniversalClient, log *slog.Logger) *storePeers {
	return &storePeers{client, rand.Text(), log.With("component", "peers")}
}

// Publish implements [streamable.Peers].
func (p *storePeers) Publish(ctx context.Context, event []byte) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), peersWait)
	defer stop()
	if err := p.client.Publish(ctx, peersChannel, p.self+" "+string(event)).Err(); err != nil {
		p.log.Warn("other servers are not told", "err", err)
	}
}

// End implements [streamable.Peers].
func (p *storePeers) End(ctx context.Context, session string) error {
	ctx, stop := context.WithTimeout(ctx, peersWait)
	defer stop()
	return p.client.Set(ctx, endedPrefix+session, "", streamable.SessionLife).Err()
}

// Ended implements [streamable.Peers].
func (p *storePeers) Ended(ctx context.Context, session string) (bool, error) {
	ctx, stop := context.WithTimeout(ctx, peersWait)
	defer stop()
	n, err := p.client.Exists(ctx, endedPrefix+session).Result()
	return n > 0, err
}

// listen passes the events of other servers to a function until ctx is done. The client
// library subscribes again when a connection breaks.
func (p *storePeers) listen(ctx context.Context, deliver func(context.Context, []byte)) error {
	events := p.client.Subscribe(ctx, peersChannel)
	defer func() { _ = events.Close() }() // nothing to lose
	messages := events.Channel()
	for {
		select {
		case <-ctx.Done():
			return nil
		case m, ok := <-messages:
			if !ok {
				return nil
			}
			if sender, event, ok := strings.Cut(m.Payload, " "); ok && sender != p.self {
				deliver(ctx, []byte(event))
			}
		}
	}
}

package peers

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/transport/peer"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

const (
	// serverPrefix and a tag name the entry of a server.
	serverPrefix = "triptych:server:"
	// serverLife is the time for which the entry of a server stays that was killed.
	serverLife = time.Hour
	// showEvery is the time between two writes of the entry.
	showEvery = 4 * time.Second
	// lookupFresh is the time for which a look-up is used again, and lookupStale that for
	// which it is while the store is away.
	lookupFresh = time.Second
	lookupStale = time.Minute
)

// A Registry registers a server and looks up the others. It implements
// [peer.Directory].
type Registry struct {
	client redis.UniversalClient
	prefix string // of all keys of the package
	tag    string

	mu          sync.Mutex
	name, url   string
	tlsName     string
	certificate func() string
	load        func() Load
	sessions    func() []streamable.SessionInfo // nil for none
	seen        map[string]lookup
}

// A lookup is the outcome of a look-up.
type lookup struct {
	server peer.Server
	load   Load
	age    time.Duration
	err    error // nil or peer.ErrUnknown
	at     time.Time
}

var _ peer.Directory = (*Registry)(nil)

// NewRegistry returns the registry of a store for a server with that name. The names of
// its keys, and of those of [Owners] and [Tasks], begin with prefix. It writes nothing.
func NewRegistry(client redis.UniversalClient, prefix, name string) *Registry {
	return &Registry{
		client: client, prefix: prefix, tag: strings.ToLower(rand.Text()[:tagLength]), name: name,
		certificate: func() string { return "" }, load: func() Load { return Load{} }, seen: map[string]lookup{},
	}
}

// Tag returns the tag of this server.
func (r *Registry) Tag() string { return r.tag }

// Name returns the name of this server.
func (r *Registry) Name() string { return r.name }

// SetAddress sets the URL at which other servers reach this one, and a function that
// returns the SHA-256 of its certificate, "" for none. It is called before Run.
func (r *Registry) SetAddress(url string, certificate func() string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.url, r.certificate = url, certificate
}

// SetTLSName sets the name for which this server has the certificate of SetAddress, where that
// is not the one of its host.
func (r *Registry) SetTLSName(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tlsName = name
}

// Run registers the server and shows that it runs until ctx is done. Then it removes the
// entry.
func (r *Registry) Run(ctx context.Context, log *slog.Logger) {
	ticker := time.NewTicker(showEvery)
	defer ticker.Stop()
	failed := false
	for {
		err := r.show(ctx)
		if err != nil && !failed && ctx.Err() == nil {
			log.Warn("server not registered among those of the store", "err", err)
		}
		failed = err != nil
		select {
		case <-ctx.Done():
			r.Remove(context.WithoutCancel(ctx), r.tag)
			return
		case <-ticker.C:
		}
	}
}

// show writes the entry.
func (r *Registry) show(ctx context.Context) error {
	r.mu.Lock()
	mine := peer.Server{Tag: r.tag, Name: r.name, URL: r.url, Certificate: r.certificate(), TLSName: r.tlsName}
	load := r.load
	r.mu.Unlock()
	text, err := json.Marshal(entry{mine, load()})
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, storeWait)
	defer stop()
	if err := r.client.Set(ctx, r.prefix+serverPrefix+r.tag, text, serverLife).Err(); err != nil {
		return err
	}
	if err := r.showSessions(ctx); err != nil {
		return err
	}
	return r.index(ctx)
}

// Remove implements [peer.Directory]. An entry that cannot be removed expires.
func (r *Registry) Remove(ctx context.Context, tag string) {
	ctx, stop := context.WithTimeout(ctx, storeWait)
	defer stop()
	_ = r.client.Del(ctx, r.prefix+serverPrefix+tag).Err()
	_ = r.client.ZRem(ctx, r.prefix+serversKey, tag).Err()
	_ = r.client.Del(ctx, r.prefix+listPrefix+tag).Err()
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.seen[tag]
	s.err, s.at = peer.ErrUnknown, time.Now()
	r.rememberLocked(tag, s)
}

// rememberLocked remembers a look-up, in the place of the oldest one if there are too many.
func (r *Registry) rememberLocked(tag string, now lookup) {
	if _, known := r.seen[tag]; !known && len(r.seen) >= maxSeen {
		oldest := ""
		for one, s := range r.seen {
			if oldest == "" || s.at.Before(r.seen[oldest].at) {
				oldest = one
			}
		}
		delete(r.seen, oldest)
	}
	r.seen[tag] = now
}

// Lookup implements [peer.Directory]. While the store is away it returns what it has
// seen last, for a minute. Text that is no tag is not looked up.
func (r *Registry) Lookup(ctx context.Context, tag string) (peer.Server, time.Duration, error) {
	if !isTag(tag) {
		return peer.Server{}, 0, peer.ErrUnknown
	}
	r.mu.Lock()
	last, known := r.seen[tag]
	r.mu.Unlock()
	if known && time.Since(last.at) < lookupFresh {
		return last.server, last.age, last.err
	}
	now, err := r.read(ctx, tag)
	if err != nil {
		if known && time.Since(last.at) < lookupStale {
			return last.server, last.age, last.err
		}
		return peer.Server{}, 0, err
	}
	if now.err != nil {
		now.server.Name = last.server.Name
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rememberLocked(tag, now)
	return now.server, now.age, now.err
}

// maxSeen limits the look-ups that are remembered.
const maxSeen = 1000

// read reads the entry of a server. Its age is counted by the store, so that clocks of
// servers do not matter.
func (r *Registry) read(ctx context.Context, tag string) (s lookup, err error) {
	ctx, stop := context.WithTimeout(ctx, storeWait)
	defer stop()
	both := r.client.Pipeline()
	text, left := both.Get(ctx, r.prefix+serverPrefix+tag), both.PTTL(ctx, r.prefix+serverPrefix+tag)
	_, err = both.Exec(ctx)
	s.at = time.Now()
	switch {
	case errors.Is(err, redis.Nil):
		s.err = peer.ErrUnknown
		return s, nil
	case err != nil:
		return s, err
	}
	var e entry
	if err := json.Unmarshal([]byte(text.Val()), &e); err != nil {
		return s, err
	}
	s.server, s.load = e.Server, e.Load
	s.age = max(0, serverLife-left.Val())
	return s, nil
}

// SetLoad sets the function that counts what clients have open. It is called before Run.
func (r *Registry) SetLoad(load func() Load) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.load = load
}

// index adds the tag of this server to the set of all, from which tags go whose entries
// have expired.
func (r *Registry) index(ctx context.Context) error {
	now := time.Now()
	both := r.client.Pipeline()
	both.ZAdd(ctx, r.prefix+serversKey, redis.Z{Score: float64(now.Unix()), Member: r.tag})
	both.ZRemRangeByScore(ctx, r.prefix+serversKey, "-inf", "("+strconv.FormatInt(now.Add(-2*serverLife).Unix(), 10))
	_, err := both.Exec(ctx)
	return err
}

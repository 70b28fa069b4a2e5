package peers

import (
	"context"
	"errors"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/peer"
)

const (
	// family is the family whose state belongs to one server.
	family = "debugger"
	// codeNotAttached is the debugger's error for a call without a session.
	codeNotAttached jsonrpc.Code = -32005

	// ownerPrefix and the state key of a caller name the key with the tag and the name
	// of the server that has the caller's debugger session.
	ownerPrefix = "triptych:debugging:"
	// ownerLife is longer than a debugger session may be idle.
	ownerLife = 2 * time.Hour
	// claimLife is longer than a call that begins a session may take.
	claimLife = 90 * time.Second
	// writeAgain is the time after which the key is written again.
	writeAgain = 10 * time.Minute
)

// maxOwned limits the sessions whose last writing is remembered. Tests set it lower.
var maxOwned = 10_000

// Owners keep in a store which server has the debugger session of a caller. A process
// belongs to one machine, so a call that arrives at another server is passed on to the
// right one, or answered with its name: a client that is only told that nothing is
// attached would start the process again and leave the first one stopped.
type Owners struct {
	client   redis.UniversalClient
	servers  *Registry
	hasState func(family, key string) bool

	mu    sync.Mutex
	owned map[string]time.Time // when the key of a state of this server was written
}

// NewOwners returns the owners of a store. hasState reports whether this process has a
// state.
func NewOwners(client redis.UniversalClient, servers *Registry, hasState func(family, key string) bool) *Owners {
	return &Owners{client: client, servers: servers, hasState: hasState, owned: map[string]time.Time{}}
}

// claimScript writes an owner unless there is another one than the expected, and returns
// the owner. Arguments: the expected owner or "", the new one, milliseconds.
var claimScript = redis.NewScript(`
local now = redis.call('GET', KEYS[1])
if now and now ~= ARGV[1] then return now end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return ARGV[2]`)

// releaseScript removes an owner if it is the expected one.
var releaseScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`)

// self is the value of keys whose owner is this server.
func (o *Owners) self() string { return o.servers.Tag() + " " + o.servers.Name() }

// key returns the key of a state.
func (o *Owners) key(state string) string { return o.servers.prefix + ownerPrefix + state }

// Owner returns the tag of the server with the state that a call needs, "" if it is this
// one or none. A call that may begin a session claims the state for this server, so that
// two calls at once do not begin it at two servers. While the store does not answer, the owner
// of a state that is not here is [peer.UnknownOwner]: a call that began a session here could
// begin a second one.
func (o *Owners) Owner(ctx context.Context, caller *host.Caller, view *host.Preview) string {
	state := caller.StateKey()
	if view.Family != family || o.hasState(family, state) {
		return ""
	}
	ctx, stop := context.WithTimeout(ctx, storeWait)
	defer stop()
	owner, err := o.client.Get(ctx, o.key(state)).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return peer.UnknownOwner
	}
	tag, _, _ := strings.Cut(owner, " ")
	if tag != "" && tag != o.servers.Tag() && !o.ended(ctx, tag) {
		return tag
	}
	if view.ReadOnly {
		return ""
	}
	owner, err = claimScript.Run(ctx, o.client, []string{o.key(state)}, owner, o.self(), claimLife.Milliseconds()).Text()
	if err != nil {
		return peer.UnknownOwner
	}
	if tag, _, _ = strings.Cut(owner, " "); tag != o.servers.Tag() {
		return tag
	}
	return ""
}

// ended reports whether a server has ended for certain.
func (o *Owners) ended(ctx context.Context, tag string) bool {
	_, _, err := o.servers.Lookup(ctx, tag)
	return errors.Is(err, peer.ErrUnknown)
}

// Observe returns an observer that writes where debugger sessions are, before next.
func (o *Owners) Observe(next func(context.Context, *host.Event) error) func(context.Context, *host.Event) error {
	return func(ctx context.Context, e *host.Event) error {
		if e.Family == family {
			o.update(ctx, e.Caller.StateKey())
		}
		if next == nil {
			return nil
		}
		return next(ctx, e)
	}
}

// update writes or removes the owner of a state. A store that cannot be reached costs
// the hint only.
func (o *Owners) update(ctx context.Context, state string) {
	has := o.hasState(family, state)
	if has {
		o.makeRoom(state)
	}
	o.mu.Lock()
	at, owned := o.owned[state]
	write := has && (!owned || time.Since(at) > writeAgain)
	switch {
	case write:
		o.owned[state] = time.Now()
	case !has:
		delete(o.owned, state)
	}
	o.mu.Unlock()
	if !write && (has || !owned) {
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), storeWait)
	defer stop()
	if write {
		_ = o.client.Set(ctx, o.key(state), o.self(), ownerLife).Err() // only a hint
		return
	}
	_ = releaseScript.Run(ctx, o.client, []string{o.key(state)}, o.self()).Err() // it expires
}

// makeRoom makes room to remember a state: it drops those that this server no longer has,
// such as of sessions that have expired. If it has them all, it drops the one whose key was
// written first, which is only written again sooner.
func (o *Owners) makeRoom(state string) {
	o.mu.Lock()
	_, owned := o.owned[state]
	full := !owned && len(o.owned) >= maxOwned
	var all map[string]time.Time
	if full {
		all = maps.Clone(o.owned)
	}
	o.mu.Unlock()
	if !full {
		return
	}
	var first string
	var gone []string
	for one, at := range all {
		if !o.hasState(family, one) {
			gone = append(gone, one)
		}
		if first == "" || at.Before(all[first]) {
			first = one
		}
	}
	if len(gone) == 0 {
		gone = []string{first}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, one := range gone {
		if o.owned[one].Equal(all[one]) { // and was not written meanwhile
			delete(o.owned, one)
		}
	}
}

// Explain says in the error of a call that found no session here which server has or had
// it.
func (o *Owners) Explain(ctx context.Context, e *host.Event, err error) error {
	if e.Family != family || e.Code != codeNotAttached {
		return err
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), storeWait)
	defer stop()
	owner, lookUp := o.client.Get(ctx, o.key(e.Caller.StateKey())).Result()
	tag, name, _ := strings.Cut(owner, " ")
	if lookUp != nil || tag == o.servers.Tag() {
		return err
	}
	server, age, lookUp := o.servers.Lookup(ctx, tag)
	if errors.Is(lookUp, peer.ErrUnknown) || lookUp == nil && age > goneAfter {
		return jsonrpc.ErrorOf(err).WithDetails("the server %q, which had the process of this session, has ended: "+
			"the session is lost; attach or launch again", name)
	}
	if server.URL != "" {
		return jsonrpc.ErrorOf(err).WithDetails("the process of this session is at the server %q, which could not be asked: do not launch it again; try again", name)
	}
	return jsonrpc.ErrorOf(err).WithDetails("the process of this session is at the server %q, not at this one (%q): "+
		"do not launch it again; send the call there, configure the balancer to send all requests with one Authorization to one server, "+
		"or give the servers a --peer-url", name, o.servers.Name())
}

// goneAfter is the time after which a server that does not show that it runs, and that
// could not be asked, has ended.
const goneAfter = 15 * time.Second

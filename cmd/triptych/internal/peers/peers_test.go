package peers_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/peers"
	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/peer"
)

func TestMain(m *testing.M) {
	peers.SetStoreWait(20 * time.Second)
	os.Exit(m.Run())
}

// A server of a test has state for the callers in it.
type server struct {
	*peers.Registry
	*peers.Owners
	mu    sync.Mutex
	state map[string]bool
}

func (s *server) has(_, key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state[key]
}

// set sets whether the server has state for anna, after a call of hers.
func (s *server) set(t *testing.T, has bool) {
	t.Helper()
	s.mu.Lock()
	s.state["principal:anna"] = has
	s.mu.Unlock()
	if err := s.Observe(nil)(t.Context(), &host.Event{Caller: anna, Family: "debugger"}); err != nil {
		t.Error(err)
	}
}

var anna = host.Caller{Principal: host.Principal{ID: "anna"}}

func store(t *testing.T) (*miniredis.Miniredis, *redis.Client) {
	t.Helper()
	mini := miniredis.RunT(t)
	client := redis.NewClient(&redis.Options{Addr: mini.Addr(), MaxRetries: -1})
	t.Cleanup(func() { _ = client.Close() }) // its server ends anyhow
	return mini, client
}

// run registers a server until the test or the returned function ends it.
func run(t *testing.T, client *redis.Client, name, url string) (*server, func()) {
	t.Helper()
	return runWith(t, client, name, url, peers.Load{})
}

// runWith is like run, for a server with that load.
func runWith(t *testing.T, client *redis.Client, name, url string, load peers.Load) (*server, func()) {
	t.Helper()
	s := &server{Registry: peers.NewRegistry(client, "team:", name), state: map[string]bool{}}
	s.SetAddress(url, func() string { return "c0ffee" })
	s.SetLoad(func() peers.Load { return load })
	s.Owners = peers.NewOwners(client, s.Registry, s.has)
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { s.Run(ctx, slog.New(slog.DiscardHandler)) })
	end := func() {
		stop()
		running.Wait()
	}
	t.Cleanup(end)
	for client.ZScore(t.Context(), "team:triptych:servers", s.Tag()).Err() != nil {
		time.Sleep(time.Millisecond)
	}
	return s, end
}

func TestRegistry(t *testing.T) {
	mini, client := store(t)
	one, end := run(t, client, "one", "http://10.0.0.1:8443")
	two, _ := run(t, client, "two", "")
	want := peer.Server{Tag: one.Tag(), Name: "one", URL: "http://10.0.0.1:8443", Certificate: "c0ffee"}
	if got, age, err := two.Lookup(t.Context(), one.Tag()); got != want || age > time.Second || err != nil {
		t.Errorf("%+v, %v, %v, want %+v", got, age, err, want)
	}
	three := peers.NewRegistry(client, "team:", "three")
	mini.FastForward(20 * time.Second)
	if _, age, err := three.Lookup(t.Context(), one.Tag()); age < 20*time.Second || err != nil {
		t.Errorf("age %v, %v, want 20 s: nothing was written meanwhile", age, err)
	}
	end()
	if _, _, err := peers.NewRegistry(client, "team:", "four").Lookup(t.Context(), one.Tag()); !errors.Is(err, peer.ErrUnknown) {
		t.Errorf("after its end: %v", err)
	}
	mini.SetError("the store is away")
	if got, _, err := three.Lookup(t.Context(), one.Tag()); err != nil || got != want {
		t.Errorf("while the store is away: %+v, %v, want what was seen last", got, err)
	}
	if _, _, err := three.Lookup(t.Context(), "neverseen234"); err == nil || errors.Is(err, peer.ErrUnknown) {
		t.Errorf("while the store is away: %v, want its error", err)
	}
}

// While the store is away, a call for a state that is not here is not served: another server may
// have it, and a launch would begin a second session.
func TestOwnerWhileTheStoreIsAway(t *testing.T) {
	mini, client := store(t)
	one, _ := run(t, client, "one", "http://10.0.0.1:8443")
	mini.SetError("the store is away")
	for _, view := range []*host.Preview{{Family: "debugger"}, {Family: "debugger", ReadOnly: true}} {
		if got := one.Owner(t.Context(), &anna, view); got != peer.UnknownOwner {
			t.Errorf("read only %v: the owner is %q, want %q", view.ReadOnly, got, peer.UnknownOwner)
		}
	}
	if got := one.Owner(t.Context(), &anna, &host.Preview{Family: "rulesets"}); got != "" {
		t.Errorf("the owner for another family is %q", got)
	}
	one.mu.Lock()
	one.state["principal:anna"] = true
	one.mu.Unlock()
	if got := one.Owner(t.Context(), &anna, &host.Preview{Family: "debugger"}); got != "" {
		t.Errorf("the owner of a state that is here is %q", got)
	}
}

func TestOwners(t *testing.T) {
	_, client := store(t)
	one, end := run(t, client, "one", "http://10.0.0.1:8443")
	two, _ := run(t, client, "two", "http://10.0.0.2:8443")
	launch, read := &host.Preview{Family: "debugger"}, &host.Preview{Family: "debugger", ReadOnly: true}
	owner := func(s *server, view *host.Preview, want string) {
		t.Helper()
		if got := s.Owner(t.Context(), &anna, view); got != want {
			t.Errorf("the owner for %s is %q, want %q", s.Name(), got, want)
		}
	}
	explained := func(s *server, want string) {
		t.Helper()
		e := &host.Event{Caller: anna, Family: "debugger", Code: -32005}
		err := s.Explain(t.Context(), e, &jsonrpc.Error{Code: -32005, Message: "Not attached"})
		if got := string(jsonrpc.ErrorOf(err).Data); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("the error at %s has %s, want %q", s.Name(), got, want)
		}
	}
	owner(one, read, "") // no server has it, and a look-up claims nothing
	owner(two, &host.Preview{Family: "rulesets"}, "")
	owner(one, launch, "") // claimed
	owner(two, launch, one.Tag())
	one.set(t, true)
	owner(one, read, "")
	owner(two, read, one.Tag())
	explained(one, "")
	explained(two, `could not be asked`)
	one.set(t, false) // detached
	owner(two, read, "")
	explained(two, "")
	one.set(t, true)
	end()
	time.Sleep(1100 * time.Millisecond) // look-ups are used again for a second
	owner(two, read, "")
	explained(two, `the server \"one\", which had the process of this session, has ended`)
	owner(two, launch, "")
	explained(two, "")
	three, _ := run(t, client, "three", "")
	owner(three, launch, two.Tag())
}

// Of many servers that begin a session at once, one has it.
func TestOneClaims(t *testing.T) {
	_, client := store(t)
	var servers []*server
	for range 8 {
		s, _ := run(t, client, "many", "http://10.0.0.1:8443")
		servers = append(servers, s)
	}
	owners := make([]string, len(servers))
	var claiming sync.WaitGroup
	for i, s := range servers {
		claiming.Go(func() { owners[i] = s.Owner(t.Context(), &anna, &host.Preview{Family: "debugger"}) })
	}
	claiming.Wait()
	here, first := 0, ""
	for i, owner := range owners {
		if owner == "" {
			here, first = here+1, servers[i].Tag()
		}
	}
	for _, owner := range owners {
		if here != 1 || owner != "" && owner != first {
			t.Fatalf("the owners are %q, want one server", owners)
		}
	}
}

// Text that is no tag is not asked of the store, whatever a client sends.
func TestLookupOfNoTag(t *testing.T) {
	fake, client := store(t)
	r := peers.NewRegistry(client, "team:", "one")
	if _, _, err := r.Lookup(t.Context(), "abcdefghij27"); !errors.Is(err, peer.ErrUnknown) {
		t.Fatal(err)
	}
	before := fake.CommandCount()
	for _, tag := range []string{"", "one", "abcdefghij2", "abcdefghij234", "ABCDEFGHIJ27", "abcdefghij01", "abcdefghij2\n", strings.Repeat("a", 1<<20)} {
		if _, _, err := r.Lookup(t.Context(), tag); !errors.Is(err, peer.ErrUnknown) {
			t.Errorf("%.20q: %v", tag, err)
		}
	}
	if n := fake.CommandCount() - before; n != 0 {
		t.Errorf("%d commands were sent to the store", n)
	}
}

// A server writes where the debugger sessions are also after more of them than it remembers,
// where they have expired and where they go on.
func TestOwnersOfManySessions(t *testing.T) {
	_, client := store(t)
	const most = 20
	t.Cleanup(peers.SetMaxOwned(most))
	for _, expire := range []bool{true, false} {
		registry := peers.NewRegistry(client, "team:", "one")
		var last string
		o := peers.NewOwners(client, registry, func(_, key string) bool { return key == last || !expire })
		observe := o.Observe(nil)
		for n := range 3 * most {
			caller := &host.Caller{Principal: host.Principal{ID: fmt.Sprint("key_", expire, n)}}
			last = caller.StateKey()
			if err := observe(t.Context(), &host.Event{Family: "debugger", Caller: *caller}); err != nil {
				t.Fatal(err)
			}
		}
		if owner := client.Get(t.Context(), "team:triptych:debugging:"+last).Val(); !strings.HasPrefix(owner, registry.Tag()) {
			t.Errorf("sessions expire %v: the owner of the last one is %q", expire, owner)
		}
	}
}

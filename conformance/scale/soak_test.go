//go:build unix

package scale_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// A soak is three servers behind haproxy, on a store with a replica behind one address.
type soak struct {
	t        *testing.T
	nodes    [2]*node // the primary first
	signals  [2]func(syscall.Signal)
	address  *relay
	password string
	file     string // of the password
	servers  []*server
	url      string

	mu       sync.Mutex
	away     []span // when calls may fail
	failures []failure
	created  map[string]bool
	granted  int
	by       map[string]int // calls that succeeded, by kind of client
	probes   int            // calls with revoked keys
	faults   map[string]int // by their names; only the goroutine of the test uses it
	plenty   string         // a key that no call exhausts
	doomed   []*caller      // keys that were revoked
}

type span struct{ from, to time.Time }

type failure struct {
	at, began time.Time
	err       error
}

// TestSoak lets calls of several kinds of clients go on while servers and the store fail,
// one fault after the other. No change that was acknowledged is lost, no quota gives more
// than it has, no revoked key is let in, every chain verifies, and calls fail only while
// something is away and for two seconds after. Each fault comes once; for two minutes in
// CI, or for the time in TRIPTYCH_TEST_SOAK, any one of them follows, twenty seconds after
// the one before.
func TestSoak(t *testing.T) {
	t.Parallel()
	last, every := 10*time.Second, time.Second
	if os.Getenv("CI") != "" {
		last = 2 * time.Minute
	}
	if text := os.Getenv("TRIPTYCH_TEST_SOAK"); text != "" {
		var err error
		if last, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
		every = 20 * time.Second
	}
	s := newSoak(t)
	const month = 300
	scarce := newKey(t, s.address.url()+"/0?password_file="+s.file, "--plan", "enterprise", "--month", fmt.Sprint(month), "--minute", "0")
	plenty := newKey(t, s.address.url()+"/0?password_file="+s.file)
	s.plenty = plenty
	ctx, stop := context.WithCancel(t.Context())
	var calling sync.WaitGroup
	defer calling.Wait()
	defer stop()
	for i := range 4 {
		calling.Go(func() { s.change(ctx, newCaller(plenty), i) })
	}
	for i := range 2 {
		c := session(t, plenty, s.url)
		calling.Go(func() { s.change(ctx, c, 10+i) })
	}
	calling.Go(func() { s.spend(ctx, newCaller(scarce)) })
	calling.Go(func() { s.probe(ctx) })
	if runtime.GOOS == "linux" {
		calling.Go(func() { s.debug(ctx, newCaller(plenty)) })
	}
	calling.Go(func() { s.curl(ctx, plenty) })
	s.startClients(ctx, plenty, &calling)
	s.revoke(t)
	s.fail(last, every)
	stop()
	calling.Wait()
	s.check(month)
}

// fail lets one fault follow the other. A fault that cannot be brought about ends that: what has
// happened so far is checked all the same.
func (s *soak) fail(last, every time.Duration) {
	faults := []struct {
		name string
		do   func(*testing.T)
	}{
		{"a server is killed", s.killServer}, {"the store hangs", s.hang}, {"a failover", s.failOver}, {"the store is cut off", s.cut},
		{"a server is replaced", s.replace}, {"the password is rotated", s.rotate}, {"the store is killed", s.killStore},
		{"a server hangs", s.hangServer}, {"a signing key is rotated", s.rotateSigningKey},
	}
	began := time.Now()
	for n := 0; time.Since(began) < last || n < len(faults); n++ {
		fault := faults[n%len(faults)]
		if n >= len(faults) { // each once, then any
			fault = faults[rand.IntN(len(faults))]
		}
		s.t.Logf("%v: %s", time.Since(began).Round(time.Second), fault.name)
		from := time.Now()
		done := s.t.Run(fault.name, fault.do)
		s.allow(from)
		s.faults[fault.name]++
		if !done {
			return
		}
		if n%5 == 4 && !s.t.Run("a key is revoked", s.revoke) {
			return
		}
		time.Sleep(max(time.Second, every-time.Since(from)))
	}
	s.t.Run("the last call", func(t *testing.T) {
		c := newCaller(s.plenty)
		until(t, patience, "calls after the last fault", func() error { return c.create(t.Context(), s.url, "last") })
	})
}

func newSoak(t *testing.T) *soak {
	t.Helper()
	s := &soak{t: t, password: "p0", file: filepath.Join(t.TempDir(), "password"), created: map[string]bool{}, by: map[string]int{}, faults: map[string]int{}}
	s.writePassword()
	args := []string{"--requirepass", s.password, "--masterauth", s.password, "--appendonly", "yes", "--min-replicas-to-write", "0"}
	for i := range s.nodes {
		s.nodes[i] = startNode(t, args...)
		s.login(s.nodes[i])
		s.signals[i] = s.nodes[i].signaller(t)
	}
	s.nodes[1].follow(t, s.nodes[0])
	s.synced(t)
	s.address = startRelay(t, s.nodes[0].Addr)
	store := s.address.url() + "/0?password_file=" + s.file
	for _, name := range []string{"one", "two", "three"} {
		s.servers = append(s.servers, start(t, store, "--families", "rulesets,debugger", "--proxy", "127.0.0.1",
			"--drain-delay", "2s", "--server-name", name, "--peer-url", "http://ADDR"))
	}
	s.url = balance(t, 0, s.servers...)
	return s
}

// login gives the test a client with the password.
func (s *soak) login(n *node) {
	_ = n.client.Close() // one without it
	n.client = redis.NewClient(&redis.Options{Addr: n.Addr, MaxRetries: -1, CredentialsProvider: func() (string, string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return "", s.password
	}})
	s.t.Cleanup(func() { _ = n.client.Close() }) // its server ends anyhow
}

func (s *soak) writePassword() {
	temp := s.file + ".new"
	if err := os.WriteFile(temp, []byte(s.password), 0o600); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Rename(temp, s.file); err != nil {
		s.t.Fatal(err)
	}
}

// synced waits until the replica follows.
func (s *soak) synced(t *testing.T) {
	t.Helper()
	until(t, 4*patience, "the replica follows", func() error { // it may have to read all that there is
		if status := s.nodes[1].info(t, "master_link_status"); status != "up" {
			return fmt.Errorf("master_link_status is %q", status)
		}
		return nil
	})
}

// allow lets calls fail from a time until two seconds from now.
func (s *soak) allow(from time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = append(s.away, span{from, time.Now().Add(recovery)})
}

// failed notes a call that failed.
func (s *soak) failed(began time.Time, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures = append(s.failures, failure{time.Now(), began, err})
}

// change creates rulesets and reads them, until ctx is done.
func (s *soak) change(ctx context.Context, c *caller, who int) {
	for n := 0; ctx.Err() == nil; n++ {
		name := fmt.Sprintf("soak_%d_%d", who, n)
		began := time.Now()
		if err := c.create(s.t.Context(), s.url, name); err != nil {
			s.failed(began, err)
			time.Sleep(20 * time.Millisecond)
			continue
		}
		s.mu.Lock()
		s.created[name] = true
		s.by["http"]++
		s.mu.Unlock()
		began = time.Now()
		if err := c.call(s.t.Context(), s.url, "get_ruleset", map[string]any{"name": name}); err != nil {
			s.failed(began, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// spend takes what a quota gives, and more.
func (s *soak) spend(ctx context.Context, c *caller) {
	for ctx.Err() == nil {
		if c.list(s.t.Context(), s.url) == nil {
			s.granted++ // read after the end
		}
		time.Sleep(15 * time.Millisecond)
	}
}

// revoke revokes a key that is used all the time.
func (s *soak) revoke(t *testing.T) {
	t.Helper()
	store := s.address.url() + "/0?password_file=" + s.file
	name := fmt.Sprintf("doomed %d", len(s.doomed)) // read by this goroutine, which alone writes it
	doomed := newCaller(newKey(t, store, "--name", name))
	if _, told, err := run(t, t.TempDir(), store, "key", "revoke", name); err != nil {
		t.Fatal(told)
	}
	time.Sleep(time.Second) // servers learn of it within half a second
	s.mu.Lock()
	defer s.mu.Unlock()
	s.doomed = append(s.doomed, doomed)
}

// probe tries the revoked keys, one after the other.
func (s *soak) probe(ctx context.Context) {
	for n := 0; ctx.Err() == nil; n++ {
		s.mu.Lock()
		all := s.doomed
		s.mu.Unlock()
		if len(all) > 0 {
			doomed := all[n%len(all)]
			s.probes++ // read after the end
			if got, err := doomed.send(s.t.Context(), s.url, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); err == nil && got.status == http.StatusOK {
				s.t.Error("a revoked key was let in")
			}
		}
		time.Sleep(250 * time.Millisecond)
	}
}

func (s *soak) killServer(t *testing.T) {
	t.Helper()
	one := s.servers[rand.IntN(len(s.servers))]
	one.kill()
	one.launch(t)
	one.await(t)
}

// hangServer stops the process of a server for three seconds.
func (s *soak) hangServer(t *testing.T) {
	t.Helper()
	one := s.servers[rand.IntN(len(s.servers))]
	for _, signal := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT} {
		if err := one.cmd.Process.Signal(signal); err != nil {
			t.Error(err)
		}
		if signal == syscall.SIGSTOP {
			time.Sleep(3 * time.Second)
		}
	}
}

// killStore kills the primary and starts it again with its files.
func (s *soak) killStore(t *testing.T) {
	t.Helper()
	s.nodes[0].Stop()
	s.nodes[0].Run("--requirepass", s.password, "--masterauth", s.password)
	s.signals[0] = s.nodes[0].signaller(s.t) // used by later faults, and undone when all have been
	s.synced(t)
}

func (s *soak) replace(t *testing.T) {
	t.Helper()
	one := s.servers[rand.IntN(len(s.servers))]
	one.end(t)
	one.launch(t)
	one.await(t)
}

func (s *soak) hang(*testing.T) {
	s.signals[0](syscall.SIGSTOP)
	time.Sleep(3 * time.Second)
	s.signals[0](syscall.SIGCONT)
}

func (s *soak) cut(*testing.T) {
	s.address.cut("")
	time.Sleep(time.Second)
	s.address.lead(s.nodes[0].Addr)
}

// failOver makes the replica the primary, without losing a write.
func (s *soak) failOver(t *testing.T) {
	t.Helper()
	s.synced(t)
	host, port, _ := net.SplitHostPort(s.nodes[1].Addr)
	if err := s.nodes[0].client.Do(t.Context(), "FAILOVER", "TO", host, port).Err(); err != nil {
		t.Fatal(err)
	}
	until(t, patience, "the replica is promoted", func() error {
		if role := s.nodes[1].info(t, "role"); role != "master" {
			return fmt.Errorf("it is a %s", role)
		}
		return nil
	})
	s.address.lead(s.nodes[1].Addr)
	s.nodes[0], s.nodes[1] = s.nodes[1], s.nodes[0]
	s.signals[0], s.signals[1] = s.signals[1], s.signals[0]
	s.synced(t)
}

// rotate changes the password everywhere and cuts the connections of before.
func (s *soak) rotate(t *testing.T) {
	t.Helper()
	fresh := "p" + fmt.Sprint(rand.Int64())
	for _, n := range s.nodes {
		for _, name := range []string{"masterauth", "requirepass"} {
			if err := n.client.ConfigSet(t.Context(), name, fresh).Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.mu.Lock()
	s.password = fresh
	s.mu.Unlock()
	s.writePassword()
	if err := s.nodes[0].client.Do(t.Context(), "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes").Err(); err != nil {
		t.Fatal(err)
	}
	s.synced(t)
}

// rotateSigningKey replaces the key of the trail of a server, which goes on with its chain.
func (s *soak) rotateSigningKey(t *testing.T) {
	t.Helper()
	one := s.servers[rand.IntN(len(s.servers))]
	if _, told, err := run(t, one.data, "", "audit", "rotate-key"); err != nil {
		t.Fatal(told)
	}
}

// check checks what must hold after all faults, and prints what there was.
func (s *soak) check(month int) {
	t := s.t
	t.Helper()
	lost, outside := s.lost(), 0
	for _, f := range s.failures {
		if !s.allowed(f) {
			if outside++; outside <= 10 {
				t.Errorf("a call failed while nothing was away: %v", f.err)
			}
		}
	}
	if lost > 0 || s.granted > month {
		t.Errorf("%d acknowledged changes are lost, %d granted of %d", lost, s.granted, month)
	}
	records := uint64(0)
	for i, one := range s.servers {
		t.Run(fmt.Sprint("the trail at server ", i+1), func(t *testing.T) {
			one.end(t)
			records += verifyWithin(t, one, one.store, time.Hour) // each has a key of its own
		})
	}
	t.Logf(`the soak in figures:
	faults                          %v
	calls that succeeded            %v
	changes acknowledged            %d, of which %d are lost
	calls that failed               %d, of which %d while nothing was away
	granted by a quota of %d       %d
	calls with %d revoked keys       %d
	records of the audit trail      %d`,
		s.faults, s.by, len(s.created), lost, len(s.failures), outside, month, s.granted, len(s.doomed), s.probes, records)
}

// lost counts the acknowledged changes that the store does not have.
func (s *soak) lost() (n int) {
	s.t.Helper()
	for names := range slices.Chunk(slices.Collect(maps.Keys(s.created)), 1000) {
		keys := make([]string, len(names))
		for i, name := range names {
			keys[i] = "ruleset:" + name
		}
		there, err := s.nodes[0].client.Exists(s.t.Context(), keys...).Result()
		if err != nil {
			s.t.Error(err)
		}
		n += len(keys) - int(there)
	}
	return n
}

// allowed reports whether a call may have failed: something was away while it ran.
func (s *soak) allowed(f failure) bool {
	for _, a := range s.away {
		if f.began.Before(a.to.Add(slack)) && f.at.After(a.from) {
			return true
		}
	}
	return false
}

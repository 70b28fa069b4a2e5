//go:build unix

package scale_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
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
	s.revoke()
	faults := []struct {
		name string
		do   func()
	}{
		{"a server is killed", s.killServer}, {"the store hangs", s.hang}, {"a failover", s.failOver}, {"the store is cut off", s.cut},
		{"a server is replaced", s.replace}, {"the password is rotated", s.rotate}, {"the store is killed", s.killStore},
		{"a server hangs", s.hangServer},
	}
	n := 0
	for began := time.Now(); time.Since(began) < last || n < len(faults); n++ {
		fault := faults[n%len(faults)]
		if n >= len(faults) { // each once, then any
			fault = faults[rand.IntN(len(faults))]
		}
		t.Logf("%v: %s", time.Since(began).Round(time.Second), fault.name)
		from := time.Now()
		fault.do()
		s.allow(from)
		if n%5 == 4 {
			s.revoke()
		}
		time.Sleep(max(time.Second, every-time.Since(from)))
	}
	until(t, patience, "calls after the last fault", func() error { return newCaller(plenty).create(t.Context(), s.url, "last") })
	stop()
	calling.Wait()
	s.check(month, n)
}

func newSoak(t *testing.T) *soak {
	t.Helper()
	s := &soak{t: t, password: "p0", file: filepath.Join(t.TempDir(), "password"), created: map[string]bool{}, by: map[string]int{}}
	s.writePassword()
	args := []string{"--requirepass", s.password, "--masterauth", s.password, "--appendonly", "yes", "--min-replicas-to-write", "0"}
	for i := range s.nodes {
		s.nodes[i] = startNode(t, args...)
		s.login(s.nodes[i])
		s.signals[i] = s.nodes[i].signaller(t)
	}
	s.nodes[1].follow(t, s.nodes[0])
	s.synced()
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
func (s *soak) synced() {
	until(s.t, patience, "the replica follows", func() error {
		if status := s.nodes[1].info(s.t, "master_link_status"); status != "up" {
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
func (s *soak) revoke() {
	store := s.address.url() + "/0?password_file=" + s.file
	name := fmt.Sprintf("doomed %d", len(s.doomed)) // read by this goroutine, which alone writes it
	doomed := newCaller(newKey(s.t, store, "--name", name))
	if _, told, err := run(s.t, s.t.TempDir(), store, "key", "revoke", name); err != nil {
		s.t.Fatal(told)
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
			if got, err := doomed.send(s.t.Context(), s.url, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); err == nil && got.status == http.StatusOK {
				s.t.Error("a revoked key was let in")
			}
		}
		time.Sleep(250 * time.Millisecond)
	}
}

func (s *soak) killServer() {
	one := s.servers[rand.IntN(len(s.servers))]
	one.kill()
	one.launch(s.t)
	one.await(s.t)
}

// hangServer stops the process of a server for three seconds.
func (s *soak) hangServer() {
	one := s.servers[rand.IntN(len(s.servers))]
	for _, signal := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT} {
		if err := one.cmd.Process.Signal(signal); err != nil {
			s.t.Error(err)
		}
		if signal == syscall.SIGSTOP {
			time.Sleep(3 * time.Second)
		}
	}
}

// killStore kills the primary and starts it again with its files.
func (s *soak) killStore() {
	s.nodes[0].Stop()
	s.nodes[0].Run("--requirepass", s.password, "--masterauth", s.password)
	s.signals[0] = s.nodes[0].signaller(s.t)
	s.synced()
}

func (s *soak) replace() {
	one := s.servers[rand.IntN(len(s.servers))]
	one.end(s.t)
	one.launch(s.t)
	one.await(s.t)
}

func (s *soak) hang() {
	s.signals[0](syscall.SIGSTOP)
	time.Sleep(3 * time.Second)
	s.signals[0](syscall.SIGCONT)
}

func (s *soak) cut() {
	s.address.cut("")
	time.Sleep(time.Second)
	s.address.lead(s.nodes[0].Addr)
}

// failOver makes the replica the primary, without losing a write.
func (s *soak) failOver() {
	s.synced()
	host, port, _ := net.SplitHostPort(s.nodes[1].Addr)
	if err := s.nodes[0].client.Do(s.t.Context(), "FAILOVER", "TO", host, port).Err(); err != nil {
		s.t.Fatal(err)
	}
	until(s.t, patience, "the replica is promoted", func() error {
		if role := s.nodes[1].info(s.t, "role"); role != "master" {
			return fmt.Errorf("it is a %s", role)
		}
		return nil
	})
	s.address.lead(s.nodes[1].Addr)
	s.nodes[0], s.nodes[1] = s.nodes[1], s.nodes[0]
	s.signals[0], s.signals[1] = s.signals[1], s.signals[0]
	s.synced()
}

// rotate changes the password everywhere and cuts the connections of before.
func (s *soak) rotate() {
	fresh := "p" + fmt.Sprint(rand.Int64())
	for _, n := range s.nodes {
		for _, name := range []string{"masterauth", "requirepass"} {
			if err := n.client.ConfigSet(s.t.Context(), name, fresh).Err(); err != nil {
				s.t.Fatal(err)
			}
		}
	}
	s.mu.Lock()
	s.password = fresh
	s.mu.Unlock()
	s.writePassword()
	if err := s.nodes[0].client.Do(s.t.Context(), "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes").Err(); err != nil {
		s.t.Fatal(err)
	}
	s.synced()
}

// check checks what must hold after all faults.
func (s *soak) check(month, faults int) {
	t := s.t
	t.Helper()
	missing := 0
	for name := range s.created {
		if n, err := s.nodes[0].client.Exists(t.Context(), "ruleset:"+name).Result(); err != nil || n == 0 {
			missing++
		}
	}
	outside := 0
	for _, f := range s.failures {
		if !s.allowed(f) {
			if outside++; outside <= 10 {
				t.Errorf("a call failed while nothing was away: %v", f.err)
			}
		}
	}
	t.Logf("calls that succeeded: %v", s.by)
	t.Logf("%d faults, %d changes acknowledged, %d lost, %d calls failed, %d of them outside of faults, %d of %d granted",
		faults, len(s.created), missing, len(s.failures), outside, s.granted, month)
	if missing > 0 || s.granted > month {
		t.Errorf("%d acknowledged changes are lost, %d granted of %d", missing, s.granted, month)
	}
	for _, one := range s.servers {
		one.end(t)
		verify(t, one, one.store)
	}
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

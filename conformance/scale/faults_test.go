//go:build unix

package scale_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// calls makes a change and a look-up at a server.
func calls(t *testing.T, c *caller, s *server) func() error {
	t.Helper()
	var n atomic.Int64
	return func() error {
		if err := c.create(t.Context(), s.url(), fmt.Sprintf("after_%s_%d", strings.ReplaceAll(s.addr[10:], ":", ""), n.Add(1))); err != nil {
			return err
		}
		return c.list(t.Context(), s.url())
	}
}

// recovers fails the test unless calls succeed within two seconds.
func recovers(t *testing.T, what string, attempt func() error) {
	t.Helper()
	took := until(t, recovery+slack, what, attempt)
	t.Logf("%s: calls succeed after %v", what, took.Round(time.Millisecond))
}

// A managed store changes its primary behind one address: the old one is a replica
// from then on, and connections to it stay open.
func TestFailoverBehindOneAddress(t *testing.T) {
	t.Parallel()
	one := startNode(t)
	two := replicaOf(t, one)
	address := startRelay(t, one.Addr)
	c := newCaller(newKey(t, address.url()))
	servers := []*server{start(t, address.url()), start(t, address.url())}
	for range 2 { // there and back
		for _, s := range servers {
			until(t, patience, "calls before the failover", calls(t, c, s))
		}
		two.promote(t)
		one.follow(t, two)
		address.lead(two.Addr)
		for _, s := range servers {
			recovers(t, "failover behind one address", calls(t, c, s))
		}
		one, two = two, one
		until(t, patience, "the replica follows", func() error {
			if status := two.info(t, "master_link_status"); status != "up" {
				return fmt.Errorf("master_link_status is %q", status)
			}
			return nil
		})
	}
}

// A primary is killed, and its sentinel makes the replica the new one.
func TestSentinelFailover(t *testing.T) {
	t.Parallel()
	one := startNode(t)
	two := replicaOf(t, one)
	store := startSentinel(t, one)
	c := newCaller(newKey(t, store))
	s := start(t, store)
	try := calls(t, c, s)
	until(t, patience, "calls before the failover", try)
	one.Stop()
	until(t, patience, "the replica is promoted", func() error {
		if role := two.info(t, "role"); role != "master" {
			return fmt.Errorf("it is a %s", role)
		}
		return nil
	})
	recovers(t, "failover by a sentinel", try)
}

// A store takes connections and does not answer. Callers get their refusal within two
// seconds, though it is recorded in the same store, and calls succeed at once when the
// store goes on.
func TestHungStore(t *testing.T) {
	t.Parallel()
	store := startNode(t)
	signal := store.signaller(t)
	c := newCaller(newKey(t, store.url()))
	s := start(t, store.url())
	try := calls(t, c, s)
	until(t, patience, "calls before", try)
	signal(syscall.SIGSTOP)
	var asking sync.WaitGroup
	var slowest atomic.Int64
	over := time.Now().Add(4 * time.Second)
	for range 64 {
		asking.Go(func() {
			for time.Now().Before(over) && t.Context().Err() == nil {
				got, err := c.send(t.Context(), s.url(), `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_rulesets","arguments":{}}}`)
				if err != nil || got.status != http.StatusServiceUnavailable {
					t.Errorf("status %d, %v, want 503: %s", got.status, err, got.body)
					return
				}
				for old := slowest.Load(); int64(got.took) > old && !slowest.CompareAndSwap(old, int64(got.took)); old = slowest.Load() {
				}
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	asking.Wait()
	if took := time.Duration(slowest.Load()); took > 2*time.Second+slack {
		t.Errorf("a refusal took %v, want at most 2 s", took)
	} else {
		t.Logf("the slowest refusal took %v", took.Round(time.Millisecond))
	}
	if got := get(t, "http://"+s.addr+"/readyz"); got != http.StatusServiceUnavailable {
		t.Errorf("/readyz answers %d while the store hangs", got)
	}
	if got := get(t, "http://"+s.addr+"/healthz"); got != http.StatusOK {
		t.Errorf("/healthz answers %d while the store hangs", got)
	}
	signal(syscall.SIGCONT)
	recovers(t, "a store that hung", try)
}

// get returns the status of a page.
func get(t *testing.T, url string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	got, err := newCaller("").do(req)
	if err != nil {
		t.Fatal(err)
	}
	return got.status
}

// The password of the store changes, and all connections are cut. The server reads
// the new one from its file.
func TestRotatedPassword(t *testing.T) {
	t.Parallel()
	store := startNode(t, "--requirepass", "old")
	file := filepath.Join(t.TempDir(), "password")
	write := func(password string) {
		if err := os.WriteFile(file, []byte(password+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("old")
	url := store.url() + "/0?password_file=" + file
	c := newCaller(newKey(t, url))
	s := start(t, url)
	try := calls(t, c, s)
	until(t, patience, "calls before", try)
	admin := valkeytest.Client(t, "redis://:old@"+store.Addr)
	if err := admin.ConfigSet(t.Context(), "requirepass", "new").Err(); err != nil {
		t.Fatal(err)
	}
	write("new")
	if err := admin.Do(t.Context(), "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes").Err(); err != nil {
		t.Fatal(err)
	}
	recovers(t, "a rotated password", try)
	if log := s.log(); strings.Contains(log, "=new") || strings.Contains(log, ":new@") {
		t.Errorf("the log has the password:\n%s", log)
	}
}

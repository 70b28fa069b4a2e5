//go:build unix

package scale_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/conformance/internal/binary"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// Servers that start together on an empty store make one key among them.
func TestFirstKeyOfManyServers(t *testing.T) {
	t.Parallel()
	store := startNode(t)
	if _, err := binary.Build(); err != nil { // before they start together
		t.Fatal(err)
	}
	servers := make([]*server, 3)
	for i := range servers {
		servers[i] = launch(t, store.url())
	}
	for _, s := range servers {
		s.await(t)
	}
	until(t, patience, "a first key", func() error {
		made := 0
		for _, s := range servers {
			made += strings.Count(s.log(), "there was no key yet")
		}
		if made != 1 {
			return fmt.Errorf("%d servers made a first key", made)
		}
		return nil
	})
	out, told, err := run(t, t.TempDir(), store.url(), "key", "list", "--json")
	var all []struct{ ID string }
	if err != nil || json.Unmarshal([]byte(out), &all) != nil || len(all) != 1 {
		t.Errorf("the keys are %s, %v, %s; want one", out, err, told)
	}
}

// A store that lost its keys is no new store.
func TestLostKeys(t *testing.T) {
	t.Parallel()
	store := startNode(t)
	s := start(t, store.url())
	until(t, patience, "a first key", func() error {
		if !strings.Contains(s.log(), "there was no key yet") {
			return fmt.Errorf("it says %s", s.log())
		}
		return nil
	})
	s.kill()
	if err := store.client.Del(t.Context(), "triptych:keys:ring").Err(); err != nil {
		t.Fatal(err)
	}
	out, told, err := run(t, t.TempDir(), store.url(), "serve", "--families", "rulesets", "--plain-http", "--listen", "127.0.0.1:0")
	if err == nil || out != "" || !strings.Contains(told, "the store has lost its keys") {
		t.Errorf("a server starts: %v, %q, %s", err, out, told)
	}
}

// A failover to a replica without the newest writes: the quota gives no more than what
// was lost, a key that a server has seen revoked stays revoked, and no chain is called
// tampered with.
func TestFailoverLosesWrites(t *testing.T) {
	t.Parallel()
	one := startNode(t)
	two := replicaOf(t, one)
	address := startRelay(t, one.Addr)
	const month = 200
	c := newCaller(newKey(t, address.url(), "--plan", "enterprise", "--month", fmt.Sprint(month), "--minute", "0"))
	out, told, err := run(t, t.TempDir(), address.url(), "key", "create", "--name", "doomed")
	if err != nil {
		t.Fatal(told)
	}
	doomed := newCaller(out)
	servers := []*server{start(t, address.url()), start(t, address.url())}
	granted := 0
	spend := func(n int) {
		for i := range n {
			if c.list(t.Context(), servers[i%2].url()) == nil {
				granted++
			}
		}
	}
	spend(60)
	if err := doomed.list(t.Context(), servers[0].url()); err != nil {
		t.Fatal(err)
	}
	// From here on the replica gets nothing.
	if err := two.client.ReplicaOf(t.Context(), "127.0.0.1", "1").Err(); err != nil {
		t.Fatal(err)
	}
	if _, told, err = run(t, t.TempDir(), address.url(), "key", "revoke", "doomed"); err != nil {
		t.Fatal(told)
	}
	for _, s := range servers {
		until(t, patience, "the revocation", func() error {
			if got, err := doomed.send(t.Context(), s.url(), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); err != nil || got.status != http.StatusUnauthorized {
				return fmt.Errorf("status %d, %w", got.status, err)
			}
			return nil
		})
	}
	before := granted
	spend(40)
	lost := granted - before
	two.promote(t)
	address.cut(two.Addr)
	recovers(t, "failover that loses writes", func() error {
		err := c.list(t.Context(), servers[0].url())
		if err == nil {
			granted++
		}
		return err
	})
	for over := time.Now().Add(2 * time.Second); time.Now().Before(over); {
		for _, s := range servers {
			if got, err := doomed.send(t.Context(), s.url(), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); err != nil || got.status == http.StatusOK {
				t.Fatalf("a revoked key: status %d, %v", got.status, err)
			}
		}
	}
	spend(2 * month)
	t.Logf("%d granted of %d, %d writes lost", granted, month, lost)
	if granted > month+lost {
		t.Errorf("%d granted of %d, though only %d writes were lost", granted, month, lost)
	}
	for _, s := range servers {
		s.end(t)
		verify(t, s, address.url())
	}
}

// verify fails the test unless the chains of a server's signing key are whole.
func verify(t *testing.T, s *server, store string) {
	t.Helper()
	verifyWithin(t, s, store, patience)
}

// verifyWithin is verify for a trail that takes long to read. It returns the number of records
// in the chains that the server's key has signed.
func verifyWithin(t *testing.T, s *server, store string, limit time.Duration) (records uint64) {
	t.Helper()
	out, told, err := runFor(t, limit, s.data, store, "audit", "verify", "--json")
	var chains []struct {
		Chain, Broken string
		Records       uint64
	}
	if json.Unmarshal([]byte(out), &chains) != nil {
		t.Fatalf("audit verify: %v\n%s%s", err, out, told)
	}
	for _, chain := range chains {
		records += chain.Records
		// Chains of other servers have other keys; the test verifies them with those.
		if chain.Broken != "" && !strings.Contains(chain.Broken, "is not trusted") {
			t.Errorf("chain %s is called broken: %s", chain.Chain, chain.Broken)
		}
	}
	return records
}

// A store at its limit of memory: look-ups go on, a key can be revoked, changes are
// refused.
func TestStoreWithoutMemory(t *testing.T) {
	t.Parallel()
	store := startNode(t)
	c := newCaller(newKey(t, store.url(), "--plan", "enterprise", "--month", "0", "--minute", "0"))
	doomed := newCaller(newKey(t, store.url(), "--plan", "enterprise", "--month", "0", "--minute", "0", "--name", "doomed"))
	s := start(t, store.url())
	until(t, patience, "calls before", calls(t, c, s))
	if err := store.client.ConfigSet(t.Context(), "maxmemory", "1").Err(); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if err := c.list(t.Context(), s.url()); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.create(t.Context(), s.url(), "too_much"); err == nil {
		t.Error("a ruleset was created in a store without memory")
	}
	if _, told, err := run(t, t.TempDir(), store.url(), "key", "revoke", "doomed"); err != nil {
		t.Errorf("key revoke: %v\n%s", err, told)
	}
	until(t, patience, "the revocation", func() error {
		if doomed.list(t.Context(), s.url()) == nil {
			return fmt.Errorf("the key works")
		}
		return nil
	})
	if err := store.client.ConfigSet(t.Context(), "maxmemory", "0").Err(); err != nil {
		t.Fatal(err)
	}
	recovers(t, "a store that has memory again", calls(t, c, s))
	s.end(t)
	verify(t, s, store.url())
}

// Quotas go on while a policy evicts their counts, as long as one server knows them.
func TestEvictedCounts(t *testing.T) {
	t.Parallel()
	store := startNode(t)
	const month = 50
	c := newCaller(newKey(t, store.url(), "--plan", "enterprise", "--month", fmt.Sprint(month), "--minute", "0"))
	s := start(t, store.url())
	granted := 0
	for i := range 2 * month {
		if c.list(t.Context(), s.url()) == nil {
			granted++
		}
		if i%20 == 10 {
			evictCounts(t, store)
		}
	}
	if granted != month {
		t.Errorf("%d granted of %d", granted, month)
	}
}

// evictCounts removes all counts of quotas.
func evictCounts(t *testing.T, store *node) {
	t.Helper()
	client := valkeytest.Client(t, "redis://"+store.Addr)
	for _, key := range client.Keys(t.Context(), "triptych:quota:*").Val() {
		if err := client.Del(t.Context(), key).Err(); err != nil {
			t.Fatal(err)
		}
	}
}

package lastread

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

var (
	ann  = Reader{Principal: "key_a", Session: "one"}
	bob  = Reader{Principal: "key_a", Session: "two"}
	here = Reader{Principal: "key_a", Program: "agent 1", Addr: netip.MustParseAddrPort("10.0.0.1:4000")}
	next = Reader{Principal: "key_a", Program: "agent 1", Addr: netip.MustParseAddrPort("10.0.0.1:4001")}
	far  = Reader{Principal: "key_a", Program: "agent 1", Addr: netip.MustParseAddrPort("10.0.0.2:4000")}
)

// Both kinds of records keep the same rules.
func TestRecords(t *testing.T) {
	server := "valkey://" + valkeytest.Start(t).Addr
	cluster := "valkey+cluster://" + valkeytest.StartCluster(t).Addr
	for kind, open := range map[string]func(prefix string) Record{
		"memory":  func(string) Record { return NewMemory() },
		"server":  func(prefix string) Record { return openValkey(t, server, prefix) },
		"cluster": func(prefix string) Record { return openValkey(t, cluster, prefix) },
	} {
		for name, test := range map[string]func(*testing.T, Record){
			"sessions": sessionsAreApart, "connections": connectionsAreApart, "gone": goneIsUnknown,
		} {
			t.Run(kind+" "+name, func(t *testing.T) { test(t, open(name+":")) })
		}
	}
}

func openValkey(t *testing.T, url, prefix string) *Valkey {
	v := OpenValkey(t.Context(), url, prefix, slog.New(slog.DiscardHandler))
	t.Cleanup(func() {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	return v
}

func read(t *testing.T, r Record, who Reader, name ruleset.Name, rev int) {
	t.Helper()
	if err := r.Read(t.Context(), who, name, rev); err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, r Record, who Reader, name ruleset.Name, rev int) {
	t.Helper()
	if got, err := r.Last(t.Context(), who, name); err != nil || got != rev {
		t.Errorf("%+v has read %s@%d last, %v; want %d", who, name, got, err, rev)
	}
}

func sessionsAreApart(t *testing.T, r Record) {
	read(t, r, ann, "a", 1)
	read(t, r, bob, "a", 2)
	read(t, r, ann, "b", 7)
	want(t, r, ann, "a", 1)
	want(t, r, bob, "a", 2)
	want(t, r, ann, "b", 7)
	want(t, r, bob, "b", 0)
	read(t, r, ann, "a", 3)
	want(t, r, ann, "a", 3)
}

// Clients without sessions have their connections, and after those their machine.
func connectionsAreApart(t *testing.T, r Record) {
	read(t, r, here, "a", 1)
	read(t, r, next, "a", 2)
	want(t, r, here, "a", 1)
	want(t, r, next, "a", 2)
	again := here
	again.Addr = netip.AddrPortFrom(here.Addr.Addr(), 5000)
	want(t, r, again, "a", 2)
	want(t, r, far, "a", 0)
	other := here
	other.Program = "agent 2"
	want(t, r, other, "a", 0)
	other = here
	other.Principal = "key_b"
	want(t, r, other, "a", 0)
}

func goneIsUnknown(t *testing.T, r Record) {
	read(t, r, ann, "a", 4)
	read(t, r, ann, "a", 0)
	want(t, r, ann, "a", 0)
}

// The end of a session is the end of its reads in memory.
func TestEnd(t *testing.T) {
	m := NewMemory()
	read(t, m, ann, "a", 1)
	read(t, m, bob, "a", 2)
	m.End(ann.Session)
	m.End("unknown")
	want(t, m, ann, "a", 0)
	want(t, m, bob, "a", 2)
	m.End(bob.Session)
	if len(m.clients) != 0 || len(m.principals) != 0 {
		t.Errorf("%d clients and %d principals are left", len(m.clients), len(m.principals))
	}
}

// However much a client reads and however many clients a key has, memory is bounded, and the
// reads of other keys stay.
func TestLimits(t *testing.T) {
	m := NewMemory()
	m.maxNames, m.maxReads = 10, 50
	other := Reader{Principal: "key_b", Session: "quiet"}
	read(t, m, other, "a", 1)
	for s := range 100 {
		who := Reader{Principal: "key_a", Session: fmt.Sprint(s)}
		for n := range 25 {
			read(t, m, who, ruleset.Name(fmt.Sprint("rule_", n)), s+1)
			want(t, m, who, ruleset.Name(fmt.Sprint("rule_", n)), s+1)
		}
	}
	total := 0
	for _, e := range m.clients {
		total += len(e.Value.(*client).revs)
	}
	if total > 51 || m.principals["key_a"].reads != total-1 {
		t.Errorf("%d reads are recorded, counted %d, the limit is 50 and one of another key", total, m.principals["key_a"].reads)
	}
	want(t, m, other, "a", 1)
}

// Servers of one store know what a session has read at another one. The id of the session is
// not in the store, and what was read goes after a day.
func TestSharedByServers(t *testing.T) {
	server := valkeytest.Start(t)
	url := "valkey://" + server.Addr
	one, two := openValkey(t, url, "team:"), openValkey(t, url, "team:")
	read(t, one, ann, "a", 1)
	want(t, two, ann, "a", 1)
	read(t, two, ann, "a", 5)
	want(t, one, ann, "a", 5)
	one.End(ann.Session)
	want(t, one, ann, "a", 5)
	local := ann
	local.Session, local.Local = "stdio", true
	read(t, one, local, "a", 9)
	want(t, one, local, "a", 9)
	want(t, two, local, "a", 0)

	client := valkeytest.Client(t, "redis://"+server.Addr)
	keys, err := client.Keys(t.Context(), "*").Result()
	if err != nil || len(keys) != 1 || !strings.HasPrefix(keys[0], "team:rulesets:read:") || strings.Contains(keys[0], ann.Session) {
		t.Fatalf("keys %q, %v", keys, err)
	}
	if left, err := client.TTL(t.Context(), keys[0]).Result(); err != nil || left > 24*time.Hour || left < 23*time.Hour {
		t.Errorf("the key stays for %s, %v", left, err)
	}
	if err := client.Del(t.Context(), keys[0]).Err(); err != nil {
		t.Fatal(err)
	}
	want(t, two, ann, "a", 5) // it expired, and this server still knows
}

// A store that cannot be asked is an error: nothing is written without the check.
func TestStoreIsAway(t *testing.T) {
	server := valkeytest.Start(t)
	v := openValkey(t, "valkey://"+server.Addr, "")
	read(t, v, ann, "a", 1)
	server.Stop()
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	if rev, err := v.Last(ctx, ann, "a"); err == nil {
		t.Errorf("revision %d without the store", rev)
	}
}

// A client whose last ruleset is gone is not kept, and the clients of a key are bounded.
func TestClientsAreBounded(t *testing.T) {
	m := NewMemory()
	m.maxClients = 5
	for n := range 100 {
		who := Reader{Principal: "key_a", Session: fmt.Sprint(n)}
		read(t, m, who, "a", 1)
		read(t, m, who, "a", 0)
	}
	if len(m.clients) != 0 || len(m.principals) != 0 {
		t.Errorf("%d clients and %d principals without reads", len(m.clients), len(m.principals))
	}
	for n := range 100 {
		read(t, m, Reader{Principal: "key_a", Session: fmt.Sprint(n)}, "a", n+1)
	}
	if len(m.clients) != 5 || m.principals["key_a"].reads != 5 {
		t.Errorf("%d clients with %d reads, the limit is 5", len(m.clients), m.principals["key_a"].reads)
	}
	want(t, m, Reader{Principal: "key_a", Session: "99"}, "a", 100)
	want(t, m, Reader{Principal: "key_a", Session: "94"}, "a", 0)
}

// A read that did not reach the store is known here, and is sent when it is repeated.
func TestReadWithoutStore(t *testing.T) {
	url := "valkey://" + valkeytest.Start(t).Addr
	one, two := openValkey(t, url, ""), openValkey(t, url, "")
	read(t, one, ann, "a", 5)
	ended, end := context.WithCancel(t.Context())
	end()
	if err := one.Read(ended, ann, "a", 6); err == nil {
		t.Fatal("the store got a read of a call that had ended")
	}
	want(t, one, ann, "a", 6)
	want(t, two, ann, "a", 5)
	read(t, one, ann, "a", 6)
	want(t, two, ann, "a", 6)
}

// What a client goes on reading stays in the store.
func TestReadsAreRenewed(t *testing.T) {
	server := valkeytest.Start(t)
	v := openValkey(t, "valkey://"+server.Addr, "")
	now := time.Now()
	v.now = func() time.Time { return now }
	read(t, v, ann, "a", 1)
	client := valkeytest.Client(t, "redis://"+server.Addr)
	key := v.key(&ann)
	for _, step := range []struct {
		after time.Duration
		least time.Duration
	}{{valkeyRenew - time.Second, 0}, {time.Second, 23 * time.Hour}} {
		if err := client.Expire(t.Context(), key, time.Minute).Err(); err != nil {
			t.Fatal(err)
		}
		now = now.Add(step.after)
		read(t, v, ann, "a", 1)
		if left, err := client.TTL(t.Context(), key).Result(); err != nil || left < step.least || step.least == 0 && left > time.Minute {
			t.Errorf("after %s the key stays for %s, %v", step.after, left, err)
		}
	}
}

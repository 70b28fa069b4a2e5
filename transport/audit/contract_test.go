package audit_test

import (
	"net"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/transport/audit"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// A place opens logs of one trail; another log of it is like another process.
type place func(t *testing.T, now func() time.Time) *audit.Log

// contract runs the tests that every place must pass.
func contract(t *testing.T, fresh func(t *testing.T) place) {
	for _, tt := range []struct {
		name string
		test func(t *testing.T, p place)
	}{
		{"empty", emptyTrail},
		{"records come back", comeBack},
		{"chains are merged", merged},
		{"many at once", manyAtOnce},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.test(t, fresh(t)) })
	}
}

func TestContractOnFiles(t *testing.T) {
	contract(t, func(t *testing.T) place {
		dir := filepath.Join(t.TempDir(), "audit")
		return func(t *testing.T, now func() time.Time) *audit.Log {
			return closing(t, audit.New(audit.Config{Dir: dir, Now: now}))
		}
	})
}

func TestContractOnAFakeServer(t *testing.T) {
	contract(t, func(t *testing.T) place { return inValkey(t, miniredis.RunT(t).Addr(), 0) })
}

func TestContractOnAServer(t *testing.T) {
	addr := valkeytest.Start(t).Addr
	db := 0
	contract(t, func(t *testing.T) place {
		db++ // a new, empty one
		return inValkey(t, addr, db)
	})
}

func closing(t *testing.T, l *audit.Log) *audit.Log {
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func inValkey(t *testing.T, addr string, db int) place {
	t.Helper()
	keys := filepath.Join(t.TempDir(), "audit")
	client := redisClient(t, addr, db)
	return func(t *testing.T, now func() time.Time) *audit.Log {
		return closing(t, audit.NewValkey(audit.ValkeyConfig{Client: client, KeyDir: keys, Now: now}))
	}
}

func redisClient(t *testing.T, addr string, db int) *redis.Client {
	t.Helper()
	client := redis.NewClient(&redis.Options{Addr: addr, DB: db, DialerRetries: 1, MaxRetries: -1})
	t.Cleanup(func() { _ = client.Close() }) // its server ends anyhow
	return client
}

// all are the records of a trail, as "KEY TARGET".
func all(t *testing.T, l *audit.Log, f audit.Filter) []string {
	t.Helper()
	got := []string{}
	for r, err := range l.Query(t.Context(), f) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r.Key+" "+r.Target)
	}
	return got
}

// sound expects a whole trail with so many records.
func sound(t *testing.T, l *audit.Log, records uint64) audit.Report {
	t.Helper()
	report, err := l.Verify(t.Context())
	if err != nil || report.Err() != nil || report.Records() != records {
		t.Errorf("%d records, %v, %v; want %d", report.Records(), err, report.Err(), records)
	}
	return report
}

func emptyTrail(t *testing.T, p place) {
	l := p(t, time.Now)
	if got := all(t, l, audit.Filter{}); len(got) != 0 {
		t.Errorf("records %v", got)
	}
	sound(t, l, 0)
}

func comeBack(t *testing.T, p place) {
	l := p(t, time.Now)
	want := audit.Record{
		Seq: 1, Time: noon, Key: "k", Addr: "a", Session: "s", Method: "m", Target: "t<&>\u2028", Outcome: audit.Failed, Code: -1, Reason: "r",
		Duration: time.Second, Details: map[string]string{"pid": "1"},
	}
	keep(t, l, want)
	for got, err := range p(t, time.Now).Query(t.Context(), audit.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		want.Chain = got.Chain // random
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("record (-want +got):\n%s", diff)
		}
	}
	sound(t, l, 1)
}

func merged(t *testing.T, p place) {
	now := ticking()
	a, b := p(t, now), p(t, now)
	keep(t, a, audit.Record{Key: "a", Target: "1"})
	keep(t, b, audit.Record{Key: "b", Target: "2"})
	keep(t, a, audit.Record{Key: "a", Target: "3", Session: "s"}, audit.Record{Key: "a", Target: "4"})
	for _, tt := range []struct {
		filter audit.Filter
		want   []string
	}{
		{audit.Filter{}, []string{"a 1", "b 2", "a 3", "a 4"}},
		{audit.Filter{Key: "b"}, []string{"b 2"}},
		{audit.Filter{Session: "s"}, []string{"a 3"}},
		{audit.Filter{Key: "a", Limit: 2}, []string{"a 1", "a 3"}},
	} {
		if diff := cmp.Diff(tt.want, all(t, a, tt.filter)); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", tt.filter, diff)
		}
	}
	if report := sound(t, b, 4); len(report.Chains) != 2 || len(report.Hash()) != 64 {
		t.Errorf("%d chains with hash %s, want 2", len(report.Chains), report.Hash())
	}
}

func manyAtOnce(t *testing.T, p place) {
	l := p(t, time.Now)
	const goroutines, each = 50, 60 // more than a page
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range each {
				seq, err := l.Append(audit.Record{Key: "k"})
				if err == nil {
					err = l.Commit(t.Context(), seq)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	sound(t, l, goroutines*each)
	if got := len(all(t, l, audit.Filter{})); got != goroutines*each {
		t.Errorf("%d records, want %d", got, goroutines*each)
	}
}

// What people may do to a stream is found.
func TestTamperingWithAStreamIsFound(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(c *redis.Client, stream string) error
	}{
		{"an entry is deleted", func(c *redis.Client, stream string) error { return c.XDel(t.Context(), stream, "4-0").Err() }},
		{"the last entries are deleted", func(c *redis.Client, stream string) error {
			return c.XDel(t.Context(), stream, "5-0", "6-0").Err()
		}},
		{"the stream is deleted", func(c *redis.Client, stream string) error { return c.Del(t.Context(), stream).Err() }},
		{"an entry is added", func(c *redis.Client, stream string) error {
			return c.XAdd(t.Context(), &redis.XAddArgs{Stream: stream, ID: "6-1", Values: []any{"line", "x"}}).Err()
		}},
		{"the head is another", func(c *redis.Client, stream string) error {
			return c.HSet(t.Context(), "triptych:audit-heads", strings.TrimPrefix(stream, "triptych:audit:"), "x").Err()
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			addr := miniredis.RunT(t).Addr()
			client := redisClient(t, addr, 0)
			l := inValkey(t, addr, 0)(t, time.Now)
			keep(t, l, audit.Record{Key: "a"}) // entries 1 to 4: file, seal, record, seal
			keep(t, l, audit.Record{Key: "b"}) // 5 and 6
			streams, err := client.Keys(t.Context(), "triptych:audit:*").Result()
			if err != nil || len(streams) != 1 {
				t.Fatal(streams, err)
			}
			sound(t, l, 2)
			if err := tt.do(client, streams[0]); err != nil {
				t.Fatal(err)
			}
			report, err := l.Verify(t.Context())
			if tt.name == "an entry is added" { // it is not signed, and no answer depends on it
				if err != nil || report.Err() != nil || report.Records() != 2 || report.Chains[0].Torn == 0 {
					t.Errorf("%v %v %+v", err, report.Err(), report)
				}
				return
			}
			if err != nil || report.Err() == nil {
				t.Errorf("it was not found: %v", err)
			}
		})
	}
}

// A server that is away and comes back with what it had gets the records that
// waited, each once.
func TestServerComesBack(t *testing.T) {
	server := valkeytest.Start(t, "--appendonly", "yes", "--appendfsync", "always")
	l := inValkey(t, server.Addr, 0)(t, time.Now)
	keep(t, l, audit.Record{Key: "before"})
	server.Stop()
	seq, err := l.Append(audit.Record{Key: "during"})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Commit(t.Context(), seq); err == nil {
		t.Error("a record is said to be kept without a server")
	}
	server.Run()
	if err := l.Commit(t.Context(), seq); err != nil {
		t.Error(err)
	}
	keep(t, l, audit.Record{Key: "after"})
	if diff := cmp.Diff([]string{"before ", "during ", "after "}, all(t, l, audit.Filter{})); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	sound(t, l, 3)
}

// The answer to an addition that succeeded gets lost. Its records are not
// added again.
func TestLostAnswer(t *testing.T) {
	fake := miniredis.RunT(t)
	proxy := newProxy(t, fake.Addr())
	l := inValkey(t, proxy.addr, 0)(t, time.Now)
	keep(t, l, audit.Record{Key: "a"})
	seq, err := l.Append(audit.Record{Key: "b"})
	if err != nil {
		t.Fatal(err)
	}
	proxy.lose("EVALSHA")
	if l.Commit(t.Context(), seq) != nil { // unless it has looked again already
		if err := l.Commit(t.Context(), seq); err != nil {
			t.Error(err)
		}
	}
	if !proxy.lost() {
		t.Error("no answer was lost")
	}
	keep(t, l, audit.Record{Key: "c"})
	if diff := cmp.Diff([]string{"a ", "b ", "c "}, all(t, l, audit.Filter{})); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	sound(t, l, 3)
}

// A proxy stands before a server and can swallow an answer.
type proxy struct {
	addr string
	mu   sync.Mutex
	word string // the next request with it is sent on, and the connection ends
}

func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{addr: l.Addr().String()}
	t.Cleanup(func() { _ = l.Close() }) // ends the loop
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to)
			if err != nil {
				return
			}
			go p.relay(in, out)
		}
	}()
	return p
}

func (p *proxy) lose(word string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.word = word
}

// lost reports whether an answer got lost as it should.
func (p *proxy) lost() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.word == ""
}

// loses reports whether the answer to a request gets lost.
func (p *proxy) loses(request []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.word == "" || !strings.Contains(strings.ToUpper(string(request)), p.word) {
		return false
	}
	p.word = ""
	return true
}

// relay sends on what comes, until an answer gets lost.
func (p *proxy) relay(in, out net.Conn) {
	var lost atomic.Bool
	go func() {
		defer func() { _ = out.Close() }() // nothing to lose
		for request := make([]byte, 1<<16); ; {
			n, err := in.Read(request)
			if err != nil {
				return
			}
			if p.loses(request[:n]) {
				lost.Store(true)
			}
			if _, err := out.Write(request[:n]); err != nil {
				return
			}
		}
	}()
	defer func() { _ = in.Close() }() // nothing to lose
	for answer := make([]byte, 1<<16); ; {
		n, err := out.Read(answer)
		if err != nil || lost.Load() {
			return
		}
		if _, err := in.Write(answer[:n]); err != nil {
			return
		}
	}
}

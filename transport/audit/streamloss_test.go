package audit

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// A lossy trail is one in a store that loses what a test takes away.
type lossy struct {
	t      *testing.T
	client *redis.Client
	keys   string
	logged bytes.Buffer
}

func newLossy(t *testing.T, args ...string) *lossy {
	t.Helper()
	server := valkeytest.Start(t, args...)
	return &lossy{t: t, client: valkeytest.Client(t, "redis://"+server.Addr), keys: filepath.Join(t.TempDir(), "audit")}
}

// open opens the log of a server. It signs each record when it is committed: a timer that
// signs later could write while the store loses lines.
func (s *lossy) open(name string) *Log {
	return NewValkey(ValkeyConfig{Client: s.client, KeyDir: s.keys, Name: name, Always: true, Logger: slog.New(slog.NewTextHandler(&s.logged, nil))})
}

// add adds records and commits them.
func (s *lossy) add(l *Log, n int) {
	s.t.Helper()
	for range n {
		seq, err := l.Append(Record{Key: "k"})
		if err == nil {
			err = l.Commit(s.t.Context(), seq)
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
}

// close closes a log.
func (s *lossy) close(l *Log) {
	s.t.Helper()
	if err := l.Close(); err != nil {
		s.t.Fatal(err)
	}
}

// forgetLines makes the server of a log forget which lines it has stored last.
func forgetLines(l *Log) {
	l.writing.acquire()
	defer l.writing.release()
	w := l.medium.(*streamWriter)
	w.recent, w.recentBytes = nil, 0
}

// kill ends the timer of a log, as the end of its process does: nothing is signed any more.
func kill(l *Log) {
	l.mu.Lock()
	l.closed = true
	l.stopTimerLocked()
	l.mu.Unlock()
	l.jobs.Wait()
}

// lose removes the last lines of the only stream, as a failover to a replica without
// them does.
func (s *lossy) lose(lines int64) {
	s.t.Helper()
	ctx := s.t.Context()
	stream := s.stream()
	all := s.client.XRange(ctx, stream, "-", "+").Val()
	if err := s.client.Del(ctx, stream).Err(); err != nil {
		s.t.Fatal(err)
	}
	for _, entry := range all[:len(all)-int(lines)] {
		if err := s.client.XAdd(ctx, &redis.XAddArgs{Stream: stream, ID: entry.ID, Values: []any{lineField, entry.Values[lineField]}}).Err(); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *lossy) stream() string {
	s.t.Helper()
	streams := s.client.Keys(s.t.Context(), streamPrefix+"*").Val()
	if len(streams) != 1 {
		s.t.Fatalf("there are the streams %v, want one", streams)
	}
	return streams[0]
}

// verified verifies the trail.
func (s *lossy) verified() Report {
	s.t.Helper()
	report, err := NewValkey(ValkeyConfig{Client: s.client, KeyDir: s.keys}).Verify(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	if err := report.Err(); err != nil {
		s.t.Errorf("the trail is called broken: %v", err)
	}
	return report
}

// Lines that a store has lost are written again by the server that has them in memory.
func TestLostLinesAreWrittenAgain(t *testing.T) {
	s := newLossy(t)
	l := s.open("one")
	s.add(l, 10)
	s.lose(6)
	s.add(l, 1)
	s.close(l)
	if r := s.verified().Chains[0]; r.Records != 11 || r.Last != 11 || r.Lost != 0 {
		t.Errorf("%d records, the last is %d, %d lost; want 11, 11, 0", r.Records, r.Last, r.Lost)
	}
}

// Lines that are in no memory any more are noted as lost: by the server that wrote
// them, and by one of its name that starts later.
func TestLostLinesAreNoted(t *testing.T) {
	for name, test := range map[string]struct {
		lose    int64
		restart bool
	}{
		"some":                  {4, false},
		"all":                   {0, false},
		"some before a restart": {4, true},
		"all before a restart":  {0, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newLossy(t)
			l := s.open("one")
			s.add(l, 10)
			if test.restart {
				s.close(l)
			}
			if test.lose > 0 {
				s.lose(test.lose)
			} else if err := s.client.Del(t.Context(), s.stream()).Err(); err != nil {
				t.Fatal(err)
			}
			left := int(s.client.XLen(t.Context(), streamPrefix+chainOf(t, s)).Val())
			if test.restart {
				l = s.open("one")
			} else {
				forgetLines(l) // too much was written since
			}
			s.add(l, 5)
			s.close(l)
			r := s.verified().Chains[0]
			if r.Last != 15 || r.Records+r.Lost != 15 || r.Lost == 0 || left > 0 && r.Records <= 5 {
				t.Errorf("%d records, the last is %d, %d lost; want 15 of which some are lost", r.Records, r.Last, r.Lost)
			}
			if said := s.logged.String(); !strings.Contains(said, "the store has lost") {
				t.Errorf("the log says %q", said)
			}
		})
	}
}

// chainOf returns the id of the only chain.
func chainOf(t *testing.T, s *lossy) string {
	t.Helper()
	ids := s.client.HKeys(t.Context(), headsKey).Val()
	if len(ids) != 1 {
		t.Fatalf("there are the chains %v, want one", ids)
	}
	return ids[0]
}

// A server goes on with its chain when it starts again, whether it was closed or
// killed; servers of different names have different chains.
func TestOneChainForEachServer(t *testing.T) {
	s := newLossy(t)
	for range 3 {
		for _, name := range []string{"one", "two"} {
			l := s.open(name)
			s.add(l, 4)
			s.close(l)
		}
	}
	killed := s.open("one")
	killed.always = false // the last record is not signed
	seq, err := killed.Append(Record{Key: "k"})
	if err == nil {
		err = killed.Write(t.Context(), seq)
	}
	if err != nil {
		t.Fatal(err)
	}
	kill(killed)
	l := s.open("one")
	s.add(l, 1)
	s.close(l)
	report := s.verified()
	if len(report.Chains) != 2 || report.Records() != 26 {
		t.Errorf("%d chains with %d records, want 2 with 26", len(report.Chains), report.Records())
	}
	for _, r := range report.Chains {
		if r.Recovered > 1 || r.Lost != 0 {
			t.Errorf("%+v", r)
		}
	}
}

// Two servers with one name: the second takes the chain, and the first begins another
// one that says where its records were before.
func TestTwoServersOfOneName(t *testing.T) {
	s := newLossy(t)
	one := s.open("same")
	s.add(one, 3)
	two := s.open("same")
	s.add(two, 2)
	s.add(one, 4)
	s.add(two, 2)
	s.close(one)
	s.close(two)
	report := s.verified()
	if len(report.Chains) != 2 || report.Records() != 11 {
		t.Errorf("%d chains with %d records, want 2 with 11", len(report.Chains), report.Records())
	}
}

// Two servers of one name, whose store loses lines of which both know: one of them goes on
// with the chain, also where its lines take the numbers of those that the other one
// expects, and the other begins a chain of its own.
func TestTwoServersOfOneNameThatLoseLines(t *testing.T) {
	for lose := int64(1); lose <= 8; lose++ {
		t.Run(fmt.Sprint(lose), func(t *testing.T) {
			s := newLossy(t)
			first := s.open("same")
			s.add(first, 8)
			s.close(first)
			one, two := s.open("same"), s.open("same")
			for _, l := range []*Log{one, two} { // both know the end
				if err := l.Open(); err != nil {
					t.Fatal(err)
				}
			}
			s.lose(lose)
			added := uint64(0)
			for i := range 12 {
				s.add([]*Log{one, two}[i%2], 1)
				added++
			}
			s.close(one)
			s.close(two)
			report := s.verified()
			if n := report.Records(); n < added || n > 8+added {
				t.Errorf("%d records, want %d and those that are left of 8", n, added)
			}
		})
	}
}

// An end that was cut off by hand, or a note of a loss that is forged, is still found.
func TestForgedLossIsFound(t *testing.T) {
	s := newLossy(t)
	l := s.open("one")
	s.add(l, 10)
	s.close(l)
	stream := s.stream()
	entries := s.client.XRange(t.Context(), stream, "-", "+").Val()
	s.lose(5)
	end := streamEnd{len(entries) - 5, entries[len(entries)-6].Values[lineField].(string)}
	forged := (&chain{point: point{prev: hashOf(end)}}).add(nil, note{Lost: &lostNote{After: 7, Through: 10, Time: formatTime(time.Now())}}.body())
	if err := s.client.XAdd(t.Context(), &redis.XAddArgs{
		Stream: stream, ID: fmt.Sprintf("%d-0", end.n+1), Values: []any{lineField, bytes.TrimSpace(forged)},
	}).Err(); err != nil {
		t.Fatal(err)
	}
	report, err := NewValkey(ValkeyConfig{Client: s.client, KeyDir: s.keys}).Verify(t.Context())
	if err != nil || report.Err() == nil {
		t.Errorf("%v, %v, want that the trail is broken", report, err)
	}
}

// A store at its limit of memory takes records for a while, so that look-ups go on.
func TestStoreWithoutMemory(t *testing.T) {
	s := newLossy(t)
	l := s.open("one")
	s.add(l, 1)
	if err := s.client.ConfigSet(t.Context(), "maxmemory", "1").Err(); err != nil {
		t.Fatal(err)
	}
	if err := s.client.Set(t.Context(), "key", "", 0).Err(); err == nil || !isOutOfMemory(err) {
		t.Fatalf("%v, want that the server refuses to write", err)
	}
	s.add(l, 20)
	l.medium.(*streamWriter).overdrawn = maxOverdrawn
	seq, err := l.Append(Record{Key: "k"})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Write(context.WithoutCancel(t.Context()), seq); err == nil {
		t.Error("records are added without a limit")
	}
	if err := s.client.ConfigSet(t.Context(), "maxmemory", "0").Err(); err != nil {
		t.Fatal(err)
	}
	s.add(l, 1)
	s.close(l)
	if got := s.verified().Records(); got != 23 {
		t.Errorf("%d records, want 23", got)
	}
}

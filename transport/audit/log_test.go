package audit_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/transport/audit"
)

var noon = time.Date(2024, 12, 5, 12, 0, 0, 0, time.UTC)

// ticking is a clock that moves on by a second with each look at it.
func ticking() func() time.Time {
	var mu sync.Mutex
	now := noon
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Second)
		return now
	}
}

// keep adds records and waits until they are kept.
func keep(t *testing.T, l *audit.Log, records ...audit.Record) {
	t.Helper()
	var last uint64
	for _, r := range records {
		seq, err := l.Append(r)
		if err != nil {
			t.Fatal(err)
		}
		last = seq
	}
	if err := l.Commit(t.Context(), last); err != nil {
		t.Fatal(err)
	}
}

func shut(t *testing.T, l *audit.Log) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// whole verifies a trail that must have so many records and be whole.
func whole(t *testing.T, dir string, records uint64) audit.Report {
	t.Helper()
	report, err := audit.Verify(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Err(); err != nil {
		t.Errorf("the trail is broken: %v", err)
	}
	if got := report.Records(); got != records {
		t.Errorf("%d records are in place, want %d", got, records)
	}
	return report
}

// query collects the records that a filter chooses, as "KEY TARGET".
func query(t *testing.T, dir string, f audit.Filter) []string {
	t.Helper()
	got := []string{}
	for r, err := range audit.Query(t.Context(), dir, f) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r.Key+" "+r.Target)
	}
	return got
}

// Everything of a record comes back, in the documented units.
func TestRecordsComeBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	l := audit.New(audit.Config{Dir: dir})
	want := audit.Record{
		Seq: 1, Time: noon.Add(1234567 * time.Microsecond), Key: "kdb_1", Addr: "192.0.2.1:4711", Session: "s\"\\\n\x01é",
		Method: "tools/call", Target: "debugger/attach", Outcome: audit.Refused, Code: -32003, Reason: "scope",
		Duration: 1500 * time.Microsecond, Details: map[string]string{"b": "2", "a": "1"},
	}
	keep(t, l, want)
	shut(t, l)
	for got, err := range audit.Query(t.Context(), dir, audit.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		want.Chain = got.Chain // random
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("record (-want +got):\n%s", diff)
		}
	}
	whole(t, dir, 1)
}

// What callers send is cut, so that no record is longer than a line may be.
func TestLongTextsAreCut(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	l := audit.New(audit.Config{Dir: dir})
	long := strings.Repeat("\x00", 1<<20)
	details := map[string]string{}
	for i := range 100 {
		details[fmt.Sprintf("%03d%s", i, long)] = long
	}
	keep(t, l, audit.Record{Key: long, Addr: long, Session: long, Method: long, Target: strings.Repeat("é", 200), Outcome: "ok", Reason: long, Details: details})
	shut(t, l)
	whole(t, dir, 1)
	for r, err := range audit.Query(t.Context(), dir, audit.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.Repeat("é", 126) + "…"; r.Target != want { // 255 bytes: 256 would split an é
			t.Errorf("target is %q", r.Target)
		}
		if len(r.Details) != 16 {
			t.Errorf("%d details, want 16", len(r.Details))
		}
	}
}

// A process that records nothing leaves nothing behind.
func TestNothingIsWrittenBeforeTheFirstRecord(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	l := audit.New(audit.Config{Dir: dir})
	if err := l.Commit(t.Context(), 0); err != nil {
		t.Error(err)
	}
	shut(t, l)
	shut(t, l)
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder is there: %v", err)
	}
	whole(t, dir, 0)
}

func TestOnlyTheOwnerMayLook(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	l := audit.New(audit.Config{Dir: dir})
	keep(t, l, audit.Record{Key: "a"})
	shut(t, l)
	if err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		info, statErr := d.Info()
		if err == nil && statErr == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return errors.Join(err, statErr)
	}); err != nil {
		t.Fatal(err)
	}
}

// Who made the signing key may have been killed before the public one was there.
func TestPublicKeyIsMadeAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	l := audit.New(audit.Config{Dir: dir})
	keep(t, l, audit.Record{Key: "k"})
	shut(t, l)
	if err := os.Remove(filepath.Join(dir, "signing.pub")); err != nil {
		t.Fatal(err)
	}
	l = audit.New(audit.Config{Dir: dir})
	keep(t, l, audit.Record{Key: "k"})
	shut(t, l)
	whole(t, dir, 2)
}

func TestClosed(t *testing.T) {
	l := audit.New(audit.Config{Dir: filepath.Join(t.TempDir(), "audit")})
	seq, err := l.Append(audit.Record{Key: "a"})
	if err != nil {
		t.Fatal(err)
	}
	shut(t, l) // writes what waits
	if err := l.Commit(t.Context(), seq); err != nil {
		t.Errorf("commit: %v", err)
	}
	if _, err := l.Append(audit.Record{}); !errors.Is(err, audit.ErrClosed) {
		t.Errorf("append: %v", err)
	}
	if err := l.Commit(t.Context(), seq+1); err == nil {
		t.Error("a record that was never taken is said to be kept")
	}
}

// The next process goes on with the chain; those at the same time have chains
// of their own, which are merged by time.
func TestProcessesShareAFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	now := ticking()
	a := audit.New(audit.Config{Dir: dir, Now: now})
	b := audit.New(audit.Config{Dir: dir, Now: now})
	keep(t, a, audit.Record{Key: "a", Target: "1"})
	keep(t, b, audit.Record{Key: "b", Target: "2", Session: "s"})
	keep(t, a, audit.Record{Key: "a", Target: "3"})
	if report := whole(t, dir, 3); len(report.Chains) != 2 {
		t.Errorf("%d chains, want 2", len(report.Chains))
	}
	shut(t, a)
	c := audit.New(audit.Config{Dir: dir, Now: now})
	keep(t, c, audit.Record{Key: "c", Target: "4"})
	if report := whole(t, dir, 4); len(report.Chains) != 2 {
		t.Errorf("%d chains, want 2", len(report.Chains))
	}
	shut(t, b)
	shut(t, c)
	at := map[string]time.Time{}
	for r, err := range audit.Query(t.Context(), dir, audit.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		at[r.Target] = r.Time
	}
	for _, tt := range []struct {
		name   string
		filter audit.Filter
		want   []string
	}{
		{"all", audit.Filter{}, []string{"a 1", "b 2", "a 3", "c 4"}},
		{"key", audit.Filter{Key: "a"}, []string{"a 1", "a 3"}},
		{"session", audit.Filter{Session: "s"}, []string{"b 2"}},
		{"from is in", audit.Filter{From: at["2"]}, []string{"b 2", "a 3", "c 4"}},
		{"to is out", audit.Filter{To: at["3"]}, []string{"a 1", "b 2"}},
		{"between microseconds", audit.Filter{From: at["2"].Add(1), To: at["3"].Add(1)}, []string{"a 3"}},
		{"limit", audit.Filter{Limit: 2}, []string{"a 1", "b 2"}},
		{"none", audit.Filter{Key: "x"}, []string{}},
	} {
		if diff := cmp.Diff(tt.want, query(t, dir, tt.filter)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// Many goroutines commit at once: every number is given once, nothing is lost.
func TestManyAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	l := audit.New(audit.Config{Dir: dir, MaxFile: 20_000})
	const goroutines, each = 200, 20
	var wg sync.WaitGroup
	var mu sync.Mutex
	seen := map[uint64]bool{}
	for g := range goroutines {
		wg.Go(func() {
			for i := range each {
				seq, err := l.Append(audit.Record{Key: fmt.Sprint(g), Target: fmt.Sprint(i)})
				if err == nil {
					err = l.Commit(t.Context(), seq)
				}
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				seen[seq] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	whole(t, dir, goroutines*each) // it is open still
	shut(t, l)
	if len(seen) != goroutines*each {
		t.Errorf("%d numbers, want %d", len(seen), goroutines*each)
	}
	for g := range 3 {
		got := query(t, dir, audit.Filter{Key: fmt.Sprint(g)})
		for i := range each {
			if want := fmt.Sprintf("%d %d", g, i); i >= len(got) || got[i] != want {
				t.Fatalf("goroutine %d left %v, want %q at %d", g, got, want, i)
			}
		}
	}
}

// A trail that is being written, with files that come and go, is never said to
// be broken.
func TestVerifyWhileWriting(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	l := audit.New(audit.Config{Dir: dir, MaxFile: 20_000, KeepFiles: 3})
	keep(t, l, audit.Record{Key: "k"})
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				seq, err := l.Append(audit.Record{Key: "k"})
				if err == nil {
					err = l.Commit(t.Context(), seq)
				}
				if err != nil {
					t.Error(err)
					return
				}
				time.Sleep(time.Millisecond) // files are begun often enough, but can be read before they go
			}
		})
	}
	for n, retired := 0, uint64(0); n < 20 || retired == 0 && n < 5000; n++ {
		report, err := l.Verify(t.Context())
		if err != nil || report.Err() != nil {
			t.Errorf("%v %v", err, report.Err())
		}
		retired = report.Chains[0].Retired
		for _, err := range l.Query(t.Context(), audit.Filter{}) {
			if err != nil {
				t.Error(err)
			}
		}
	}
	close(stop)
	wg.Wait()
	shut(t, l)
	if report, err := audit.Verify(t.Context(), dir); err != nil || report.Err() != nil || report.Chains[0].Retired == 0 {
		t.Errorf("%v %v %+v", err, report.Err(), report)
	}
}

// What a process left that was killed while it made a chain goes in time.
func TestLeftoversAreSwept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	for _, name := range []string{".new-old", ".new-young"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(filepath.Join(dir, ".new-old"), old, old); err != nil {
		t.Fatal(err)
	}
	l := audit.New(audit.Config{Dir: dir})
	keep(t, l, audit.Record{Key: "k"})
	shut(t, l)
	got, err := filepath.Glob(filepath.Join(dir, ".new-*"))
	if err != nil || len(got) != 1 || filepath.Base(got[0]) != ".new-young" {
		t.Errorf("left over are %v, want the young one: %v", got, err)
	}
}

// A caller may stop waiting; the record is stored all the same.
func TestCommitStopsWithItsContext(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	l := audit.New(audit.Config{Dir: dir})
	seq, err := l.Append(audit.Record{Key: "a"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 { // it may also be the one who writes
		if err := l.Commit(ctx, seq); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	shut(t, l)
	whole(t, dir, 1)
}

// Files are closed at their size, and the first go when there are too many,
// which is no tampering.
func TestRotationAndRetention(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	l := audit.New(audit.Config{Dir: dir, MaxFile: 1, KeepFiles: 3, Now: ticking()})
	for i := range 6 { // the chain's first file has no record
		keep(t, l, audit.Record{Key: "a", Target: fmt.Sprint(i)})
	}
	shut(t, l)
	report := whole(t, dir, 3)
	if got := report.Chains[0].Retired; got != 3 {
		t.Errorf("records up to %d went by policy, want 3", got)
	}
	if diff := cmp.Diff([]string{"a 3", "a 4", "a 5"}, query(t, dir, audit.Filter{})); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*", "*.jsonl"))
	if len(files) != 3 {
		t.Errorf("files are %v, want 3", files)
	}
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	broken, err := audit.Verify(t.Context(), dir)
	if err != nil || broken.Err() == nil {
		t.Errorf("a file was deleted by hand, and verify says %v", err)
	}
}

// Old records go with the first record after their time.
func TestRetentionByAge(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	now := time.Now() // files have the time of the system
	cfg := audit.Config{Dir: dir, KeepFor: time.Hour, Now: func() time.Time { return now }}
	l := audit.New(cfg)
	keep(t, l, audit.Record{Key: "old"})
	now = now.Add(30 * time.Minute)
	keep(t, l, audit.Record{Key: "middle"}) // in a second file
	if got := query(t, dir, audit.Filter{}); len(got) != 2 {
		t.Errorf("after half the time there are %v", got)
	}
	shut(t, l)
	now = now.Add(2 * time.Hour)
	l = audit.New(cfg)
	keep(t, l, audit.Record{Key: "new"})
	shut(t, l)
	if diff := cmp.Diff([]string{"new "}, query(t, dir, audit.Filter{})); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	whole(t, dir, 1)
}

// A clock that is years ahead for a moment costs two files, not the trail.
func TestRetentionWithABadClock(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	now := time.Now() // files have the time of the system
	cfg := audit.Config{Dir: dir, KeepFor: time.Hour, MaxFile: 1, Now: func() time.Time { return now }}
	l := audit.New(cfg)
	const records = 10
	for range records { // each in a file of its own
		keep(t, l, audit.Record{Key: "old"})
	}
	shut(t, l)
	cfg.MaxFile = 0 // the default
	l = audit.New(cfg)
	now = now.AddDate(3, 0, 0)
	for range 5 {
		keep(t, l, audit.Record{Key: "ahead"})
		now = now.Add(time.Second)
	}
	now = now.AddDate(-3, 0, 0)
	keep(t, l, audit.Record{Key: "back"})
	shut(t, l)
	got := query(t, dir, audit.Filter{})
	if len(got) < records-2+5+1 {
		t.Errorf("%d records are left: %v", len(got), got)
	}
	whole(t, dir, uint64(len(got)))
}

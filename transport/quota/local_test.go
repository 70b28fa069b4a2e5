package quota_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/transport/quota"
)

func openLocal(t *testing.T, dir string) *quota.Local {
	t.Helper()
	m, err := quota.OpenLocal(t.Context(), dir, quiet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return m
}

func TestContractOfALocalMeter(t *testing.T) {
	t.Parallel() // it waits
	contract(t, func(t *testing.T) func() quota.Meter {
		dir := filepath.Join(t.TempDir(), "data", "quota")
		return func() quota.Meter { return openLocal(t, dir) }
	})
}

// TestFolderInUse: two processes never count in one folder, the second waits for
// the first.
func TestFolderInUse(t *testing.T) {
	dir := t.TempDir()
	first := openLocal(t, dir)
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	_, err := quota.OpenLocal(ctx, dir, quiet)
	if !errors.Is(err, quota.ErrInUse) || !strings.Contains(err.Error(), fmt.Sprintf("process %d in %s;", os.Getpid(), dir)) {
		t.Errorf("opening it again: %v", err)
	}
	take(t, first, "k", free, noon, 3)
	var wg sync.WaitGroup
	wg.Go(func() {
		second, err := quota.OpenLocal(t.Context(), dir, quiet)
		if err != nil {
			t.Errorf("the second: %v", err)
			return
		}
		same(t, take(t, second, "k", free, noon, 1), windows(free, 4, 4))
		if err := second.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
}

// TestWaitingIsTold: the other process is named before the waiting begins.
func TestWaitingIsTold(t *testing.T) {
	dir := t.TempDir()
	first := openLocal(t, dir)
	for _, signed := range []struct{ text, pid string }{
		{"", "unknown"},
		{"12345\n", "12345"},
		{"pid=1\nlevel=INFO", "unknown"},
	} {
		if err := os.WriteFile(filepath.Join(dir, ".lock"), []byte(signed.text), 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		var told bytes.Buffer
		log := slog.New(slog.NewTextHandler(writerFunc(func(p []byte) (int, error) {
			stop() // no need to wait any more
			return told.Write(p)
		}), nil))
		if _, err := quota.OpenLocal(ctx, dir, log); !errors.Is(err, quota.ErrInUse) || !strings.Contains(err.Error(), "process "+signed.pid+" ") {
			t.Errorf("%q: %v", signed.text, err)
		}
		if !strings.Contains(told.String(), "pid="+signed.pid+" ") || strings.Count(told.String(), "\n") != 1 {
			t.Errorf("%q: the log says %s", signed.text, &told)
		}
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestClosed(t *testing.T) {
	m := openLocal(t, t.TempDir())
	take(t, m, "k", free, noon, 1)
	for range 2 {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := m.Take(t.Context(), "k", free, noon); !errors.Is(err, quota.ErrClosed) {
		t.Errorf("Take: %v", err)
	}
	if _, err := m.Peek(t.Context(), "k", free, noon); !errors.Is(err, quota.ErrClosed) {
		t.Errorf("Peek: %v", err)
	}
}

// TestCloseUnderLoad: what was granted before or during Close counts, exactly.
func TestCloseUnderLoad(t *testing.T) {
	dir := t.TempDir()
	m := openLocal(t, dir)
	limits := quota.Limits{Month: 1 << 40}
	var wg sync.WaitGroup
	granted := make([]int64, 8)
	var begun sync.WaitGroup
	for i := range granted {
		begun.Add(1)
		wg.Go(func() {
			first := sync.OnceFunc(begun.Done)
			defer first()
			for {
				if _, err := m.Take(t.Context(), "k", limits, noon); errors.Is(err, quota.ErrClosed) {
					return
				} else if err != nil {
					t.Error(err)
					return
				}
				granted[i]++
				first()
			}
		})
	}
	begun.Wait() // all are in the middle of it
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	want := int64(0)
	for _, n := range granted {
		want += n
	}
	u, err := openLocal(t, dir).Peek(t.Context(), "k", limits, noon)
	if err != nil || u.Month.Used != want || want < 8 {
		t.Errorf("%d count, %v, want %d, some of each", u.Month.Used, err, want)
	}
}

// TestCrashInALaterMinute: what was granted in a minute out of a block that was
// written down in the one before counts in it.
func TestCrashInALaterMinute(t *testing.T) {
	dir, crashed := t.TempDir(), t.TempDir()
	m := openLocal(t, dir)
	take(t, m, "k", crashLimits, noon, crashBlock+1) // begins the second block
	take(t, m, "k", crashLimits, nextMinute, crashBlock-1)
	data, err := os.ReadFile(filepath.Join(dir, "counts.jsonl")) // as a crash would leave it
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(crashed, "counts.jsonl"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	u, err := openLocal(t, crashed).Peek(t.Context(), "k", crashLimits, nextMinute)
	if err != nil || u.Minute.Used < crashBlock-1 || u.Month.Used < 2*crashBlock {
		t.Errorf("%+v, %v, want %d or more in the minute, %d in the month", u, err, crashBlock-1, 2*crashBlock)
	}
}

// journalOf is the journal of a meter that took some requests and was closed.
func journalOf(t *testing.T, dir string) (path, text string) {
	t.Helper()
	m := openLocal(t, dir)
	take(t, m, "a", free, noon, 5)
	take(t, m, "b", free, noon, 6)
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, "counts.jsonl")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, string(data)
}

// TestTornJournal: the end of a journal may be torn anywhere, and what power
// failures leave there; nothing was granted for it.
func TestTornJournal(t *testing.T) {
	for _, tail := range []string{
		"{", `{"key":"a","month_end":1`, `{"key":"a","used":0,"burst":0}`, "\x00\x00\x00", "{\n\x00\x00", "\n\n", "garbage\n",
	} {
		dir := t.TempDir()
		path, text := journalOf(t, dir)
		if err := os.WriteFile(path, []byte(text+tail), 0o600); err != nil {
			t.Fatal(err)
		}
		for round := range int64(2) {
			m := openLocal(t, dir)
			same(t, take(t, m, "a", free, noon, 1), windows(free, 6+round, 6+round))
			if err := m.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestBrokenJournal: a journal that something else wrote to is not believed.
func TestBrokenJournal(t *testing.T) {
	dir := t.TempDir()
	path, text := journalOf(t, dir)
	for _, broken := range []string{
		"garbage\n" + text, text[1:], strings.Replace(text, `"used":5`, `"used":-5`, 1) + text, strings.Replace(text, "\n", "", 1) + text,
	} {
		if err := os.WriteFile(path, []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := quota.OpenLocal(t.Context(), dir, quiet)
		if !errors.Is(err, quota.ErrUnavailable) || !strings.Contains(err.Error(), "is broken") {
			t.Errorf("%q: %v, %v", broken, m, err)
		}
		if left, err := os.ReadFile(path); err != nil || string(left) != broken {
			t.Errorf("it was overwritten: %v", err)
		}
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	openLocal(t, dir) // a failed opening keeps no lock
}

// TestJournalThatCannotBeWritten: what the journal does not cover is not
// granted; afterwards counting goes on where it was.
func TestJournalThatCannotBeWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "quota")
	m := openLocal(t, dir)
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	for range 20 { // more often than the limit
		if _, err := m.Take(t.Context(), "k", free, noon); !errors.Is(err, quota.ErrUnavailable) {
			t.Errorf("Take: %v", err)
		}
	}
	if err := os.Rename(dir+".away", dir); err != nil {
		t.Fatal(err)
	}
	same(t, take(t, m, "k", free, noon, 10), windows(free, 10, 10))
}

// TestAfterACrash: a block that the process before us wrote down may have been
// granted in the minute that is now, and surely not in a later one.
func TestAfterACrash(t *testing.T) {
	dir := t.TempDir()
	limits := quota.Limits{Month: 10_000, Minute: 60}
	// 45 were granted in this minute when it wrote down 10 more.
	text := fmt.Sprintf(`{"key":"k","month_end":%d,"used":310,"minute_end":%d,"burst":55,"spare":10}`+"\n", march.Unix(), nextMinute.Unix())
	tests := []struct {
		name          string
		now           time.Time
		month, minute int64
	}{
		{"in the same minute", noon, 311, 56},
		{"in the next", nextMinute, 311, 11},
		{"in the next month", march, 1, 11},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := os.WriteFile(filepath.Join(dir, "counts.jsonl"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			m := openLocal(t, dir)
			u := take(t, m, "k", limits, tt.now, 1)
			if u.Month.Used != tt.month || u.Minute.Used != tt.minute {
				t.Errorf("%d and %d count, want %d and %d", u.Month.Used, u.Minute.Used, tt.month, tt.minute)
			}
			if u = take(t, m, "k", limits, tt.now.Add(time.Minute), 1); u.Minute.Used != 1 {
				t.Errorf("a minute later %d count, want 1", u.Minute.Used)
			}
			if err := m.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestJournalIsRewritten: it does not grow with the number of requests.
func TestJournalIsRewritten(t *testing.T) {
	dir := t.TempDir()
	m := openLocal(t, dir)
	many := quota.Limits{Month: 900} // blocks of one
	const keys, rounds = 30, 80
	name := func(i int) string { return fmt.Sprintf("%02000d", i) } // fills the file fast
	var wg sync.WaitGroup
	for i := range keys {
		wg.Go(func() {
			take(t, m, name(i), many, noon, rounds)
		})
	}
	wg.Wait()
	info, err := os.Stat(filepath.Join(dir, "counts.jsonl"))
	if err != nil || info.Size() > 2<<20 {
		t.Errorf("%d bytes, %v", info.Size(), err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	u, err := openLocal(t, dir).Peek(t.Context(), name(7), many, noon)
	if err != nil || u.Month.Used != rounds {
		t.Errorf("%+v, %v", u, err)
	}
}

// TestCrashCostsFewRequests: of a meter that is never closed, the next one counts
// at most 75 requests more than were granted, whatever the plan.
func TestCrashCostsFewRequests(t *testing.T) {
	const most = 75
	limits := map[string]quota.Limits{
		"enterprise of a million":       {Month: 1_000_000, Minute: 60_000},
		"enterprise of ten million":     {Month: 10_000_000, Minute: 60_000},
		"enterprise without a month":    {Minute: 1_000_000},
		"enterprise without any limits": {},
	}
	for _, plan := range []quota.Plan{quota.Free, quota.Developer, quota.Team} {
		limits[string(plan)] = plan.Limits(quota.Limits{})
	}
	for name, limits := range limits {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			take(t, openLocal(t, dir), "k", limits, noon, 1)
			journal, err := os.ReadFile(filepath.Join(dir, "counts.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			after := t.TempDir()
			if err := os.WriteFile(filepath.Join(after, "counts.jsonl"), journal, 0o600); err != nil {
				t.Fatal(err)
			}
			usage, err := openLocal(t, after).Peek(t.Context(), "k", limits, noon)
			if err != nil || usage.Month.Used < 1 || usage.Month.Used > most {
				t.Errorf("%d count after a crash, %v, want 1 to %d", usage.Month.Used, err, most)
			}
		})
	}
}

package audit

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A look-up is written to a file that was just begun while the first sync of that file
// is under way, and then all syncs fail. The look-up stays where it is, also for a
// process that goes on after a kill: no file has its name before it is synced.
func TestFailedRewriteLeavesTheNewFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the log's timer does not fire in between
		dir := filepath.Join(t.TempDir(), "audit")
		k := newFiles(Config{Dir: dir, MaxFile: 1500})
		sync, failures := k.syncData, 0
		var broken atomic.Bool
		var l *Log
		k.syncData = func(f *os.File) error {
			name := filepath.Base(f.Name())
			if name == "000001.jsonl" || !broken.Load() {
				return sync(f)
			}
			if failures++; failures == 1 {
				lookUp(t, l, "b")
			} else if fileName.MatchString(name) {
				t.Errorf("%s has its name before it is synced", name)
			}
			return errDisk
		}
		l = newLog(k, time.Now, slog.New(slog.DiscardHandler), false)
		commit := func(key, reason string) error {
			seq, err := l.Append(Record{Key: key, Reason: reason})
			if err != nil {
				t.Fatal(err)
			}
			return l.Commit(t.Context(), seq)
		}
		for _, key := range []string{"1", "2", "3", "4"} { // the first file is full
			if err := commit(key, strings.Repeat("x", 300)); err != nil {
				t.Fatal(err)
			}
			if l.medium.isFull(time.Now()) {
				break
			}
		}
		broken.Store(true)
		if err := commit("a", ""); !errors.Is(err, errDisk) || failures < 2 {
			t.Fatalf("%v after %d failed syncs, want that both fail", err, failures)
		}
		var keys []string
		for r, err := range Query(t.Context(), dir, Filter{}) {
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, r.Key)
		}
		if got := strings.Join(keys, ""); !strings.HasSuffix(got, "ab") {
			t.Fatalf("records %s, want a and b at the end", got)
		}
		killed := filepath.Join(t.TempDir(), "audit")
		if err := os.CopyFS(killed, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		next := New(Config{Dir: killed})
		lookUp(t, next, "c")
		if err := next.Close(); err != nil {
			t.Fatal(err)
		}
		inPlace(t, killed, append(keys[:len(keys):len(keys)], "c")...)
		broken.Store(false)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		inPlace(t, dir, keys...)
	})
}

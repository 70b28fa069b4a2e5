package audit

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// lookUp appends a record and writes it.
func lookUp(t *testing.T, l *Log, key string) uint64 {
	t.Helper()
	seq, err := l.Append(Record{Key: key})
	if err == nil {
		err = l.Write(t.Context(), seq)
	}
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

// A record that is only written is synced within a second, however many follow it.
func TestWrittenRecordsAreSyncedWithinASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &fakeBackend{}
		l := newLog(k, time.Now, slog.New(slog.DiscardHandler), false)
		var writtenAt []time.Time // of record i+1
		for i := range 500 {
			writtenAt = append(writtenAt, time.Now())
			if seq := lookUp(t, l, "k"); seq != uint64(i)+1 {
				t.Fatalf("record %d, want %d", seq, i+1)
			}
			synced := l.synced.Load()
			if i > 0 && synced < uint64(i) && time.Since(writtenAt[synced]) > time.Second {
				t.Fatalf("record %d waits for its sync for %v", synced+1, time.Since(writtenAt[synced]))
			}
			time.Sleep(7 * time.Millisecond)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if got := l.synced.Load(); got != 500 {
			t.Errorf("a second later records up to %d are synced, want 500", got)
		}
		if most := 6; len(k.syncs) > most { // 3.5 seconds of records and one of silence
			t.Errorf("%d syncs, want at most %d", len(k.syncs), most)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// Heads are signed at most once a second, whatever the class of the records, and
// within two seconds of the last record.
func TestHeadsAreSignedOnceASecond(t *testing.T) {
	for name, store := range map[string]func(*Log, *testing.T, uint64) error{
		"look-ups": func(l *Log, t *testing.T, seq uint64) error { return l.Write(t.Context(), seq) },
		"changes":  func(l *Log, t *testing.T, seq uint64) error { return l.Commit(t.Context(), seq) },
		"both": func(l *Log, t *testing.T, seq uint64) error {
			if seq%5 == 0 {
				return l.Commit(t.Context(), seq)
			}
			return l.Write(t.Context(), seq)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := &fakeBackend{}
				l := newLog(k, time.Now, slog.New(slog.DiscardHandler), false)
				for range 1000 {
					seq, err := l.Append(Record{Key: "k"})
					if err == nil {
						err = store(l, t, seq)
					}
					if err != nil {
						t.Fatal(err)
					}
					time.Sleep(9 * time.Millisecond)
				}
				time.Sleep(2 * time.Second)
				synctest.Wait()
				for i := 1; i < len(k.signed); i++ {
					if gap := k.signed[i].Sub(k.signed[i-1]); gap < time.Second || gap > 2*time.Second {
						t.Errorf("head %d was signed %v after the one before", i, gap)
					}
				}
				l.mu.Lock()
				unsigned := l.unsigned
				l.mu.Unlock()
				if unsigned || len(k.signed) < 4 {
					t.Errorf("%d heads; the last records are unsigned: %v", len(k.signed), unsigned)
				}
				before := len(k.signed)
				time.Sleep(time.Minute)
				synctest.Wait()
				l.mu.Lock()
				armed := l.armed
				l.mu.Unlock()
				if len(k.signed) != before || armed {
					t.Errorf("%d heads were signed while nothing was recorded", len(k.signed)-before)
				}
				if err := l.Close(); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

// failingDisk is a folder of chains whose syncs fail while fails returns an error.
func failingDisk(t *testing.T, fails func() error) (*Log, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "audit")
	k := newFiles(Config{Dir: dir})
	sync := k.syncData
	k.syncData = func(f *os.File) error {
		if err := fails(); err != nil {
			return err
		}
		return sync(f)
	}
	return newLog(k, time.Now, slog.New(slog.DiscardHandler), false), dir
}

// inPlace expects a whole trail that has the records with these keys, each once.
func inPlace(t *testing.T, dir string, want ...string) {
	t.Helper()
	report, err := Verify(t.Context(), dir)
	if err != nil || report.Err() != nil {
		t.Fatalf("%v %v", err, report.Err())
	}
	var got []string
	for r, err := range Query(t.Context(), dir, Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r.Key)
	}
	if strings.Join(got, " ") != strings.Join(want, " ") || report.Records() != uint64(len(want)) {
		t.Errorf("records %v, %d in place, want %v", got, report.Records(), want)
	}
}

var errDisk = errors.New("input/output error")

// A sync that fails once has its lines written again into a new file; the old one
// counts as far as it was synced.
func TestFailedSyncIsWrittenAgain(t *testing.T) {
	fail := 0
	l, dir := failingDisk(t, func() error {
		if fail--; fail == 0 {
			return errDisk
		}
		return nil
	})
	commit := func(key string) {
		t.Helper()
		seq, err := l.Append(Record{Key: key})
		if err == nil {
			err = l.Commit(t.Context(), seq)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	commit("a")
	lookUp(t, l, "b")
	fail = 1
	commit("c")
	inPlace(t, dir, "a", "b", "c")
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.jsonl"))
	if err != nil || len(files) != 2 {
		t.Errorf("files %v, %v, want two", files, err)
	}
	lookUp(t, l, "d")
	fail = 1
	commit("e")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	inPlace(t, dir, "a", "b", "c", "d", "e")
	l = New(Config{Dir: dir})
	lookUp(t, l, "f")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	inPlace(t, dir, "a", "b", "c", "d", "e", "f")
}

// While syncs fail, a deferred one too, nothing can be recorded; afterwards every
// record is there once.
func TestDeferredSyncFails(t *testing.T) {
	t.Parallel() // it waits
	var mu sync.Mutex
	var broken error
	set := func(err error) { mu.Lock(); broken = err; mu.Unlock() }
	l, dir := failingDisk(t, func() error { mu.Lock(); defer mu.Unlock(); return broken })
	keys := []string{"0"}
	lookUp(t, l, "0")
	set(errDisk)
	deadline := time.Now().Add(20 * time.Second)
	for i := 1; ; i++ {
		key := fmt.Sprint(i)
		seq, err := l.Append(Record{Key: key})
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
		if err := l.Write(t.Context(), seq); errors.Is(err, errDisk) {
			break
		} else if err != nil || time.Now().After(deadline) {
			t.Fatalf("record %d: %v, want an error of the deferred sync", seq, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	seq, err := l.Append(Record{Key: "last"})
	if err != nil {
		t.Fatal(err)
	}
	keys = append(keys, "last")
	if err := l.Write(t.Context(), seq); !errors.Is(err, errDisk) {
		t.Errorf("a look-up is recorded on a broken disk: %v", err)
	}
	set(nil)
	if err := l.Write(t.Context(), seq); err != nil {
		t.Errorf("on the mended disk: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	inPlace(t, dir, keys...)
}

// A file that is deleted or replaced under the log is noticed at the next sync:
// what was not synced is in a new file, and verify finds the other one missing.
func TestDeletedFileIsNoticed(t *testing.T) {
	for name, harm := range map[string]func(path string) error{
		"deleted": os.Remove,
		"replaced": func(path string) error {
			return errors.Join(os.Rename(path, path+".away"), os.WriteFile(path, nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "audit")
			l := New(Config{Dir: dir})
			lookUp(t, l, "before")
			if report, err := l.Verify(t.Context()); err != nil || report.Err() != nil {
				t.Fatal(err, report.Err())
			}
			files, err := filepath.Glob(filepath.Join(dir, "*", "*.jsonl"))
			if err != nil || len(files) != 1 {
				t.Fatal(files, err)
			}
			if err := harm(files[0]); err != nil {
				t.Fatal(err)
			}
			seq, err := l.Append(Record{Key: "after"})
			if err == nil {
				err = l.Commit(t.Context(), seq)
			}
			if err != nil {
				t.Fatal(err)
			}
			if text, err := os.ReadFile(strings.Replace(files[0], "000001", "000002", 1)); err != nil || !strings.Contains(string(text), `"key":"after"`) {
				t.Errorf("the new file has %q, %v, want the record", text, err)
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			if report, err := Verify(t.Context(), dir); err != nil || report.Err() == nil {
				t.Errorf("verify finds nothing: %v", err)
			}
		})
	}
}

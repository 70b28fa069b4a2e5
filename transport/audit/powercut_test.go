package audit

import (
	"bytes"
	"errors"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// A lossyDisk knows what of the files of one chain is synced, and makes copies of
// what a power cut may leave: of every page that was written since the last sync the
// old or the new bytes, in any combination.
type lossyDisk struct {
	mu     sync.Mutex
	synced map[string][]byte // by path
	heads  [][]byte          // all that were published: no sync says which is on disk
}

const pageSize = 4096

func (d *lossyDisk) sync(f *os.File) error {
	text, err := os.ReadFile(f.Name())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.synced[f.Name()] = text
	return nil
}

// look takes in what a chain has at the beginning, and the heads later.
func (d *lossyDisk) look(t *testing.T, chain string) {
	t.Helper()
	head, err := os.ReadFile(filepath.Join(chain, headFile))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(d.heads); n == 0 || !bytes.Equal(d.heads[n-1], head) {
		d.heads = append(d.heads, head)
	}
}

// cut copies what a power cut may leave of a trail into another folder.
func (d *lossyDisk) cut(t *testing.T, r *rand.Rand, dir, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		left := strings.Replace(path, dir, to, 1)
		switch synced, known := d.synced[path]; {
		case filepath.Base(path) == headFile:
			store(t, left, d.heads[r.IntN(len(d.heads))])
		case filepath.Ext(path) != fileSuffix:
		case !known && r.IntN(2) == 0:
			if err := os.Remove(left); err != nil {
				t.Fatal(err)
			}
		default:
			now, err := os.ReadFile(left)
			if err != nil {
				t.Fatal(err)
			}
			store(t, left, mixed(r, synced, now))
		}
	}
}

// mixed has each page of one text or of the other, and the length of one of them.
func mixed(r *rand.Rand, synced, now []byte) []byte {
	text := slices.Clone(synced)
	if r.IntN(2) == 0 {
		text = append(text, make([]byte, max(0, len(now)-len(text)))...)
	}
	for at := 0; at < min(len(text), len(now)); at += pageSize {
		if r.IntN(2) == 0 {
			copy(text[at:min(at+pageSize, len(text))], now[at:])
		}
	}
	return text
}

func store(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A promise is a record whose answer was sent.
type promise struct {
	seq    uint64
	change bool
	at     time.Time
}

// The power fails many times while changes and look-ups are recorded. No change is
// missing, no look-up that is older than a second, the trail is whole, and the next
// process goes on with it.
func TestPowerCuts(t *testing.T) {
	cuts := sample.Count(20, 100)
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		t.Setenv("TMPDIR", "/dev/shm") // syncs cost nothing there, and mean nothing here
	}
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0)) // for a test
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "audit")
		k := newFiles(Config{Dir: dir, MaxFile: 20_000, KeepFiles: 4})
		disk := &lossyDisk{synced: map[string][]byte{}}
		k.syncData = disk.sync
		l := newLog(k, time.Now, slog.New(slog.DiscardHandler), false)
		if err := l.Open(); err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(dir, "*", "*"+fileSuffix))
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		chain := filepath.Dir(files[0])
		disk.synced[files[0]], err = os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		disk.look(t, chain)
		var promises []promise
		for n := range cuts {
			for range r.IntN(8) {
				promises = append(promises, step(t, l, r))
				disk.look(t, chain)
				time.Sleep(time.Duration(r.IntN(400)) * time.Millisecond)
			}
			synctest.Wait()
			disk.look(t, chain)
			to := filepath.Join(t.TempDir(), strconv.Itoa(n))
			disk.cut(t, r, dir, to)
			afterCut(t, to, promises)
			if t.Failed() {
				t.Fatalf("after cut %d with the seed %d", n, seed)
			}
			if err := os.RemoveAll(to); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// step records a change or a look-up.
func step(t *testing.T, l *Log, r *rand.Rand) promise {
	t.Helper()
	p := promise{change: r.IntN(4) == 0}
	seq, err := l.Append(Record{Key: "k", Reason: strings.Repeat("x", r.IntN(maxText))})
	if err == nil && p.change {
		err = l.Commit(t.Context(), seq)
	} else if err == nil {
		err = l.Write(t.Context(), seq)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.seq, p.at = seq, time.Now()
	return p
}

// afterCut checks what a power cut has left, before and after the next process.
func afterCut(t *testing.T, dir string, promises []promise) {
	t.Helper()
	report, err := Verify(t.Context(), dir)
	if err != nil || report.Err() != nil {
		t.Errorf("%v %v", err, report.Err())
		return
	}
	checkPromises(t, report.Chains[0].Last, promises)
	next := New(Config{Dir: dir})
	seq := lookUp(t, next, "after")
	if seq != report.Chains[0].Last+1 {
		t.Errorf("the next process records %d, want %d", seq, report.Chains[0].Last+1)
	}
	if err := next.Close(); err != nil {
		t.Error(err)
	}
	again, err := Verify(t.Context(), dir)
	if err != nil || again.Err() != nil || len(again.Chains) != 1 || again.Chains[0].Torn != 0 || again.Chains[0].Last != seq {
		t.Errorf("after the next process: %v %v %+v, want %d records", err, again.Err(), again.Chains, seq)
		return
	}
	if recovered := again.Chains[0].Recovered; recovered != 1 && report.Chains[0].Unsigned+uint64(report.Chains[0].Torn) > 0 {
		t.Errorf("recovered %d times, want once", recovered)
	}
}

func checkPromises(t *testing.T, last uint64, promises []promise) {
	t.Helper()
	for _, p := range slices.Backward(promises) {
		if p.seq <= last {
			return // what is there has no gap
		}
		if p.change || time.Since(p.at) > time.Second {
			t.Errorf("record %d (a change: %v) is missing %v after its answer; the last is %d", p.seq, p.change, time.Since(p.at), last)
		}
	}
}

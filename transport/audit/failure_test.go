package audit

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var errFull = errors.New("no space left")

// A fakeBackend has one chain in memory, whose medium fails when it is told to.
type fakeBackend struct {
	mu       sync.Mutex
	fail     error
	writes   int
	attempts int
	delay    time.Duration
	data     strings.Builder
	syncs    []time.Time
	signed   []time.Time
}

func (k *fakeBackend) claim(time.Time) (*chain, medium, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.fail != nil {
		return nil, nil, k.fail
	}
	return &chain{id: "0000000000000000", signer: &signer{key: ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))}}, k, nil
}

func (k *fakeBackend) chains(context.Context) ([]stored, error)   { return nil, nil }
func (k *fakeBackend) trusted([]ed25519.PublicKey) (trust, error) { return trust{}, nil }
func (k *fakeBackend) renewedSigner(*signer) (*signer, error)     { return nil, nil }
func (k *fakeBackend) preface(*chain, time.Time) []note           { return nil }
func (k *fakeBackend) close() error                               { return nil }
func (k *fakeBackend) began() bool                                { return false }
func (k *fakeBackend) mark() mark                                 { return mark{} }
func (k *fakeBackend) confirm(mark)                               {}
func (k *fakeBackend) publish([]byte) error                       { return nil }
func (k *fakeBackend) isFull(time.Time) bool                      { return false }
func (k *fakeBackend) rotate()                                    {}
func (k *fakeBackend) unsynced() int                              { return 0 }
func (k *fakeBackend) sync(mark) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.syncs = append(k.syncs, time.Now())
	return k.fail
}
func (k *fakeBackend) rewrite(*chain, *group, time.Time) error { return nil }
func (k *fakeBackend) set(err error)                           { k.mu.Lock(); k.fail = err; k.mu.Unlock() }

func (k *fakeBackend) count() (writes, attempts int, lines []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.writes, k.attempts, strings.Split(strings.TrimSpace(k.data.String()), "\n")
}

func (k *fakeBackend) write(g *group, _ *chain) error {
	time.Sleep(k.delay) // within a bubble
	k.mu.Lock()
	defer k.mu.Unlock()
	k.attempts++
	if k.fail != nil {
		return k.fail
	}
	k.writes++
	if g.head != nil {
		k.signed = append(k.signed, time.Now())
	}
	k.data.Write(g.data)
	return nil
}

func fakeLog(k *fakeBackend) *Log { return newLog(k, time.Now, slog.New(slog.DiscardHandler), true) }

// linked checks that lines follow one another and returns the numbers of their
// records.
func linked(t *testing.T, lines []string) (numbers []uint64) {
	t.Helper()
	prev := digest{}.String()
	for i, text := range lines {
		l, err := parseLine([]byte(text))
		if err != nil || l.prev != prev {
			t.Fatalf("line %d %q does not follow: %v", i, text, err)
		}
		prev = l.hash.String()
		if l.seq > 0 {
			numbers = append(numbers, l.seq)
		}
	}
	return numbers
}

// A failed write is told to all who wait. Nothing is lost, and the chain has
// no gap when there is space again.
func TestFailedWritesAreRepeated(t *testing.T) {
	k := &fakeBackend{}
	l := fakeLog(k)
	var seqs []uint64
	add := func() {
		seq, err := l.Append(Record{Key: "k"})
		if err != nil {
			t.Fatal(err)
		}
		seqs = append(seqs, seq)
	}
	add()
	k.set(errFull)
	for range 3 {
		if err := l.Commit(t.Context(), seqs[len(seqs)-1]); !errors.Is(err, errFull) {
			t.Errorf("commit: %v, want %v", err, errFull)
		}
		if err := l.Commit(t.Context(), seqs[0]); !errors.Is(err, errFull) {
			t.Errorf("commit of the first: %v, want %v", err, errFull)
		}
		add()
	}
	k.set(nil)
	for _, seq := range seqs {
		if err := l.Commit(t.Context(), seq); err != nil {
			t.Errorf("commit of %d: %v", seq, err)
		}
	}
	_, _, lines := k.count()
	if got := fmt.Sprint(linked(t, lines)); got != "[1 2 3 4]" {
		t.Errorf("kept %s", got)
	}
}

// A trail that cannot be opened is opened when it can.
func TestFailedOpeningIsRepeated(t *testing.T) {
	k := &fakeBackend{fail: errFull}
	l := fakeLog(k)
	if _, err := l.Append(Record{}); !errors.Is(err, errFull) {
		t.Errorf("append: %v", err)
	}
	k.set(nil)
	seq, err := l.Append(Record{})
	if err != nil || seq != 1 {
		t.Errorf("append: %d %v", seq, err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// Memory is bounded: when too much waits, a record is refused and not taken.
func TestFullMemory(t *testing.T) {
	k := &fakeBackend{}
	l := fakeLog(k)
	if _, err := l.Append(Record{}); err != nil {
		t.Fatal(err)
	}
	k.set(errFull)
	record := Record{Reason: strings.Repeat("x", maxText)}
	taken := 1
	var err error
	for ; taken < 200_000; taken++ {
		if _, err = l.Append(record); err != nil {
			break
		}
	}
	if !errors.Is(err, errFull) {
		t.Fatalf("%d records were taken, then %v", taken, err)
	}
	if most := 3 * maxPending / maxText; taken > most { // a group that is stuck, and what waits behind it
		t.Errorf("%d records were taken, more than %d", taken, most)
	}
	k.set(nil)
	last, err := l.Append(record)
	if err != nil || last != uint64(taken)+1 {
		t.Fatalf("then record %d: %v, want %d", last, err, taken+1)
	}
	if err := l.Commit(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	_, _, lines := k.count()
	if got := len(linked(t, lines)); got != taken+1 {
		t.Errorf("%d records are kept, want %d", got, taken+1)
	}
}

// All who come while one write is under way share the next one.
func TestCommitsShareWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &fakeBackend{delay: time.Millisecond}
		l := fakeLog(k)
		commit := func() {
			seq, err := l.Append(Record{Key: "k"})
			if err == nil {
				err = l.Commit(t.Context(), seq)
			}
			if err != nil {
				t.Error(err)
			}
		}
		var wg sync.WaitGroup
		wg.Go(commit)
		synctest.Wait() // it writes
		for range 1000 {
			wg.Go(commit)
		}
		wg.Wait()
		writes, _, lines := k.count()
		if got := len(linked(t, lines)); got != 1001 || writes != 2 {
			t.Errorf("%d records in %d writes, want 1001 in 2", got, writes)
		}
	})
}

// Who waits for another's write leaves when its context ends.
func TestWaitersLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := fakeLog(&fakeBackend{delay: time.Hour})
		first, err := l.Append(Record{})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := l.Commit(t.Context(), first); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := l.Commit(ctx, first); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("commit: %v", err)
		}
		wg.Wait()
	})
}

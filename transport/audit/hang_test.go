package audit

import (
	"crypto/ed25519"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"
)

// stuck is a keeper whose disk hangs until it is let go.
type stuck struct {
	fakeBackend
	free chan struct{}
}

func (k *stuck) claim(time.Time) (*chain, medium, error) {
	return &chain{signer: &signer{key: ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))}}, k, nil
}
func (k *stuck) write(*group, *chain) error {
	<-k.free
	return nil
}

// slow is a keeper that takes a minute to find a chain.
type slow struct{ stuck }

func (k *slow) claim(now time.Time) (*chain, medium, error) {
	time.Sleep(time.Minute)
	return k.stuck.claim(now)
}

// TestHangAtFirst: while a disk hangs as the chain is opened, only the one who
// opens it waits for it.
func TestHangAtFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLog(&slow{}, time.Now, slog.New(slog.DiscardHandler), true)
		opened := make(chan error, 1)
		go func() {
			_, err := l.Append(Record{Key: "k"})
			opened <- err
		}()
		synctest.Wait()
		began := time.Now()
		if _, err := l.Append(Record{Key: "k"}); !errors.Is(err, errHangs) || time.Since(began) != maxWait {
			t.Errorf("%v after %v, want %v after %v", err, time.Since(began), errHangs, maxWait)
		}
		if err := <-opened; err != nil || time.Since(began) != time.Minute {
			t.Errorf("%v after %v, want nil after 1m", err, time.Since(began))
		}
		if seq, err := l.Append(Record{Key: "k"}); seq != 2 || err != nil {
			t.Errorf("record %d, %v, want 2", seq, err)
		}
	})
}

// TestHang: while a disk hangs, only the one who writes waits for it; the others
// are told after a while, and when it goes on their records are kept.
func TestHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &stuck{free: make(chan struct{})}
		l := newLog(k, time.Now, slog.New(slog.DiscardHandler), true)
		commit := func() (chan error, uint64) {
			done := make(chan error, 1)
			seq, err := l.Append(Record{Key: "k"})
			if err != nil {
				t.Fatal(err)
			}
			go func() { done <- l.Commit(t.Context(), seq) }()
			synctest.Wait()
			return done, seq
		}
		pilot, _ := commit()
		other, seq := commit()
		began := time.Now()
		if err := <-other; !errors.Is(err, errHangs) || time.Since(began) != maxWait {
			t.Errorf("%v after %v, want %v after %v", err, time.Since(began), errHangs, maxWait)
		}
		close(k.free)
		if err := <-pilot; err != nil {
			t.Error(err)
		}
		if err := l.Commit(t.Context(), seq); err != nil {
			t.Error(err)
		}
	})
}

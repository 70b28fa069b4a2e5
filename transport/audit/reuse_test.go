package audit

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"
)

// A moody backend's medium fails now and then.
type moody struct{ fakeBackend }

func (k *moody) claim(now time.Time) (*chain, medium, error) {
	c, _, err := k.fakeBackend.claim(now)
	return c, k, err
}

func (k *moody) write(g *group, c *chain) error {
	if rand.IntN(3) == 0 {
		return errFull
	}
	return k.fakeBackend.write(g, c)
}

// TestMemoryUsedAgain: records of groups that have each other's memory, also after
// failures, are all kept, each once and as it was.
func TestMemoryUsedAgain(t *testing.T) {
	const writers, each = 8, 1000
	k := &moody{}
	l := newLog(k, time.Now, slog.New(slog.DiscardHandler), false)
	var keys sync.Map // by number
	add := func(key string, commits bool) error {
		seq, err := l.Append(Record{Key: key})
		keys.Store(seq, key)
		for err == nil && commits {
			if err = l.Commit(t.Context(), seq); err == nil {
				return nil
			} else if errors.Is(err, errFull) {
				err = nil
			}
		}
		return err
	}
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range each {
				if err := add(fmt.Sprintf("%d-%d-%s", w, i, strings.Repeat("x", rand.IntN(60))), i%3 == 0); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if err := add("last", true); err != nil {
		t.Fatal(err)
	}
	_, _, lines := k.count()
	if n := len(linked(t, lines)); n != writers*each+1 {
		t.Errorf("%d records are kept, want %d", n, writers*each+1)
	}
	for _, text := range lines {
		record, err := parseLine([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if key, _ := keys.Load(record.seq); record.seq > 0 && !strings.Contains(text, fmt.Sprintf(`"key":%q`, key)) {
			t.Fatalf("the record of %v is kept as %s", key, text)
		}
	}
}

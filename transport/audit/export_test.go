package audit

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// A reader reads a trail again and again from where it was.
type reader struct {
	t    *testing.T
	done map[string]Position
}

// numbers reads what is new and returns the numbers of the records, those of a chain that has
// begun anew after a 0.
func (r *reader) numbers(l *Log) (all []uint64) {
	r.t.Helper()
	for p, err := range l.After(r.t.Context(), maps.Clone(r.done)) {
		if err != nil {
			r.t.Fatal(err)
		}
		if p.At.Began > r.done[p.Chain].Began {
			all = append(all, 0)
		}
		all = append(all, p.Seq)
		r.done[p.Chain] = p.At
	}
	return all
}

// expect reads and compares.
func (r *reader) expect(l *Log, name string, want ...uint64) {
	r.t.Helper()
	if got := r.numbers(l); !slices.Equal(got, want) {
		r.t.Errorf("%s: records %v, want %v", name, got, want)
	}
}

// Each record is read once, in files and in a store, also when some of the chain was deleted
// by policy meanwhile.
func TestAfterReadsEachRecordOnce(t *testing.T) {
	eachTrail(t, func(t *testing.T, open func() *Log, _ func(*Log)) {
		r := &reader{t, map[string]Position{}}
		l := open()
		committed(t, l, 3)
		r.expect(l, "all", 1, 2, 3)
		r.expect(l, "none")
		committed(t, l, 2)
		r.expect(l, "new", 4, 5)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		l = open()
		committed(t, l, 1)
		r.expect(l, "started again", 6)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// A chain that begins anew in a store that was emptied is read from its beginning, whatever
// number its records had reached before.
func TestAfterReadsAChainThatBeginsAnew(t *testing.T) {
	for name, before := range map[string]int{"shorter than before": 9, "longer than before": 2} {
		t.Run(name, func(t *testing.T) {
			s := newLossy(t)
			r := &reader{t, map[string]Position{}}
			l := s.open("one")
			s.add(l, before)
			s.close(l)
			r.numbers(l)
			if err := s.client.FlushAll(t.Context()).Err(); err != nil {
				t.Fatal(err)
			}
			r.expect(s.open("one"), "empty")
			l = s.open("one")
			s.add(l, 4)
			r.expect(l, "anew", 0, 1, 2, 3, 4)
			s.add(l, 1)
			r.expect(l, "goes on", 5)
			s.close(l)
		})
	}
	t.Run("files", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "audit")
		r := &reader{t, map[string]Position{}}
		l := New(Config{Dir: dir})
		committed(t, l, 3)
		id := l.chain.id
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		r.numbers(l)
		if err := os.RemoveAll(filepath.Join(dir, id)); err != nil {
			t.Fatal(err)
		}
		l = New(Config{Dir: dir})
		committed(t, l, 3)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(dir, l.backend.(*files).only(t)), filepath.Join(dir, id)); err != nil {
			t.Fatal(err)
		}
		r.expect(l, "another chain in its folder", 0, 1, 2, 3)
	})
}

// only returns the id of the only chain.
func (k *files) only(t *testing.T) string {
	t.Helper()
	ids, err := k.ids()
	if err != nil || len(ids) != 1 {
		t.Fatalf("%v, %v, want one chain", ids, err)
	}
	return ids[0]
}

// What was read before the store lost it is not read again, before and after its server has
// noted the loss.
func TestAfterALoss(t *testing.T) {
	s := newLossy(t)
	r := &reader{t, map[string]Position{}}
	l := s.open("one")
	s.add(l, 6)
	r.expect(l, "all", 1, 2, 3, 4, 5, 6)
	s.lose(5)
	r.expect(l, "not noted yet")
	forgetLines(l)
	s.add(l, 2)
	r.expect(l, "noted", 7, 8)
	s.close(l)
	r.expect(l, "nothing more")
}

// A reader that comes after its position was deleted by policy goes on with what is left.
func TestAfterWhatWasDeleted(t *testing.T) {
	k := newKept(t, valkeytest.Client(t, "redis://"+valkeytest.Start(t).Addr), ValkeyConfig{KeepFor: 100 * time.Second})
	r := &reader{t, map[string]Position{}}
	l := k.open(1 << 20)
	k.add(l, "k", 10)
	r.numbers(l)
	k.add(l, "k", 500)
	all := r.numbers(l)
	if last := k.whole(l); len(all) != int(last.Records) || all[0] != last.Retired+1 || all[len(all)-1] != 510 {
		t.Errorf("%d records from %d to %d, want those of %+v", len(all), all[0], all[len(all)-1], last)
	}
	for number, seq := range all {
		if seq != all[0]+uint64(number) {
			t.Fatalf("record %d comes after %d", seq, all[number-1])
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// A position that an earlier version has stored is gone on from.
func TestAfterAnOldPosition(t *testing.T) {
	s := newLossy(t)
	l := s.open("one")
	s.add(l, 4)
	r := &reader{t, map[string]Position{}}
	r.numbers(l)
	for chain, p := range r.done {
		r.done[chain] = Position{File: p.File, Line: p.Line}
	}
	s.add(l, 1)
	r.expect(l, "new", 5)
	s.close(l)
}

package history

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
)

// An asked is a part that notes what it was asked.
type asked struct {
	*Records
	name        string
	first, last uint64
	place       uint64 // or 0
	log         *[]string
}

func (a *asked) note(what string, from, to uint64) {
	*a.log = append(*a.log, fmt.Sprint(a.name, " ", what, " ", from, " ", to))
}

func (a *asked) Bounds() (first, last uint64) { return a.first, a.last }

func (a *asked) Last(_ context.Context, _ *Places, from, to uint64) (position uint64, ok bool, err error) {
	a.note("last", from, to)
	return a.place, a.place != 0, nil
}

func (a *asked) First(_ context.Context, _ *Places, from, to uint64) (position uint64, ok bool, err error) {
	a.note("first", from, to)
	return a.place, a.place != 0, nil
}

func (a *asked) Hits(_ context.Context, _ []uint64, from, to uint64, _ func(Hit) bool) (reached uint64, err error) {
	a.note("hits", from, to)
	return to, nil
}

func (a *asked) Inputs(_ context.Context, from, to uint64, _ func(position uint64, in Input)) error {
	a.note("inputs", from, to)
	return nil
}

func (a *asked) Cut(position uint64) {
	a.note("cut", position, position)
	a.last = min(a.last, position)
}

func (a *asked) Close() error { a.note("close", 0, 0); return nil }

// Each question goes to the parts that it concerns, within their bounds, in its direction.
func TestLine(t *testing.T) {
	var log []string
	line := &Line{Parts: []Part{
		&asked{name: "a", first: 10, last: 20, place: 15, log: &log}, &asked{name: "b", first: 20, last: 30, log: &log},
		&asked{name: "c", first: 30, last: 30, log: &log},
	}}
	for _, test := range []struct {
		ask  func() error
		want []string
	}{
		{func() error {
			at, ok, err := line.Last(t.Context(), nil, 12, 25)
			return expect(err, ok, at == 15)
		}, []string{"b last 20 25", "a last 12 20"}},
		{func() error { at, ok, err := line.First(t.Context(), nil, 12, 25); return expect(err, ok, at == 15) }, []string{"a first 12 20"}},
		{func() error { _, ok, err := line.First(t.Context(), nil, 20, 40); return expect(err, !ok) }, []string{"b first 20 30"}},
		{func() error {
			at, err := line.Hits(t.Context(), nil, 12, 25, nil)
			return expect(err, at == 20)
		}, []string{"a hits 12 20"}},
		{func() error { return line.Inputs(t.Context(), 19, 21, nil) }, []string{"a inputs 19 20", "b inputs 20 21"}},
		{func() error { return errors.Join(line.CheckCut(10), line.CheckCut(20), line.CheckCut(30)) }, nil},
		{func() error { return expect(nil, line.CheckCut(15) != nil) }, nil}, // Records cannot be cut
		{func() error {
			line.Cut(20)
			first, last := line.Bounds()
			return expect(nil, first == 10, last == 20)
		}, []string{"b close 0 0", "c close 0 0", "a cut 20 20"}},
		{func() error { return expect(line.Close(), len(line.Parts) == 0) }, []string{"a close 0 0"}},
	} {
		log = nil
		if err := test.ask(); err != nil || !reflect.DeepEqual(log, test.want) {
			t.Errorf("%q, %v, want %q", log, err, test.want)
		}
	}
}

// expect returns an error unless all of an answer is as it should be.
func expect(err error, right ...bool) error {
	for n, ok := range right {
		if !ok {
			err = errors.Join(err, fmt.Errorf("part %d of the answer is wrong", n))
		}
	}
	return err
}

package mcptest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A replay takes a conversation along a road.
//
//	run
//	├─ say       → Road.Send
//	├─ listen    ← Road.Hear, once for < and <~
//	└─ gather    ← Road.Hear, once for each of a group of <?
type replay struct {
	road    Road
	witness Witness // nil for none
	update  bool    // lines with < take what came instead of failing
	names   names
	errs    []error
}

// run returns the turns, with what came in the place of what was expected, and
// everything that was wrong. It ends early when the road does.
func (r *replay) run(turns []turn) ([]turn, error) {
	spoken := slices.Clone(turns)
	for i := 0; i < len(spoken); i++ {
		var err error
		switch t := &spoken[i]; t.kind {
		case say:
			err = r.say(r.names.in(t.text, plain))
		case hear, matches:
			err = r.listen(t)
		case anyOrder:
			n := group(spoken[i:])
			err = r.gather(spoken[i : i+n])
			i += n - 1
		case remark:
		}
		if err != nil {
			return spoken, errors.Join(append(r.errs, fmt.Errorf("wire line %d: %w", spoken[i].line, err))...)
		}
	}
	return spoken, errors.Join(r.errs...)
}

// group is how many <? lines stand together.
func group(turns []turn) int {
	if n := slices.IndexFunc(turns, func(t turn) bool { return t.kind != anyOrder }); n >= 0 {
		return n
	}
	return len(turns)
}

func (r *replay) say(line string) error {
	if r.witness != nil {
		r.witness.Sent(line)
	}
	return r.road.Send(line)
}

// hear takes one message and has it checked.
func (r *replay) hear() (string, error) {
	got, err := r.road.Hear()
	if err != nil || r.witness == nil {
		return got, err
	}
	if err := r.witness.Heard(got); err != nil {
		r.errs = append(r.errs, err)
	}
	return got, nil
}

func (r *replay) listen(t *turn) error {
	got, err := r.hear()
	if err != nil {
		return err
	}
	want, err := r.names.resolve(*t)
	switch {
	case err != nil:
		return err
	case want.takes(got):
		r.names.learn(want, got)
	case r.update && t.kind == hear:
		t.text = got
	default:
		r.errs = append(r.errs, fmt.Errorf("wire line %d:\n got %s\nwant %s", t.line, got, want.text))
	}
	return nil
}

// takes reports whether the message is what the turn expects.
func (t *turn) takes(got string) bool {
	if t.pattern != nil {
		return t.pattern.MatchString(got)
	}
	return t.text == got
}

// gather hears one message for each turn, in any order.
func (r *replay) gather(turns []turn) error {
	open := slices.Clone(turns)
	for i, t := range turns {
		var err error
		if open[i], err = r.names.resolve(t); err != nil {
			return err
		}
	}
	for range turns {
		got, err := r.hear()
		if err != nil {
			return fmt.Errorf("%w; open were %s", err, lines(open))
		}
		i := slices.IndexFunc(open, func(t turn) bool { return t.takes(got) })
		if i < 0 {
			r.errs = append(r.errs, fmt.Errorf("wire line %d:\n got %s\nwant any of %s", turns[0].line, got, lines(open)))
			continue
		}
		r.names.learn(open[i], got)
		open = slices.Delete(open, i, i+1)
	}
	return nil
}

// lines are the turns as they stand in the file.
func lines(turns []turn) string {
	all := make([]string, len(turns))
	for i, t := range turns {
		all[i] = t.String()
	}
	return strings.Join(all, "\n")
}

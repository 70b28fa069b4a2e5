package mcptest

import (
	"errors"
	"fmt"
	"slices"
)

// A replay sends and expects the lines of a conversation.
//
//	run
//	├─ say       → Transport.Send
//	├─ listen    ← Transport.Receive, once for < and <~
//	└─ gather    ← Transport.Receive, once for each of a group of <?
type replay struct {
	transport Transport
	checker   Checker // nil for none
	update    bool    // lines with < take what came instead of failing
	names     names
	errs      []error
}

// run returns the turns as they were played, with the received lines in place of
// the expected ones if r.update is set, and all failures. It returns early if the
// transport fails.
func (r *replay) run(turns []turn) ([]turn, error) {
	played := slices.Clone(turns)
	for i := 0; i < len(played); i++ {
		var err error
		switch t := &played[i]; t.kind {
		case say:
			err = r.say(r.names.in(t.text, plain))
		case hear, matches:
			err = r.listen(t)
		case anyOrder:
			n := group(played[i:])
			err = r.gather(played[i : i+n])
			i += n - 1
		case remark:
		}
		if err != nil {
			return played, errors.Join(append(r.errs, fmt.Errorf("wire line %d: %w", played[i].line, err))...)
		}
	}
	return played, errors.Join(r.errs...)
}

// say sends one line.
func (r *replay) say(line string) error {
	if r.checker != nil {
		r.checker.Sent(line)
	}
	return r.transport.Send(line)
}

// hear receives one message and checks it.
func (r *replay) hear() (string, error) {
	got, err := r.transport.Receive()
	if err != nil || r.checker == nil {
		return got, err
	}
	if err := r.checker.Received(got); err != nil {
		r.errs = append(r.errs, err)
	}
	return got, nil
}

// listen receives one message and compares it with a turn. A difference is recorded, or with
// update written into the turn; only a failure of the transport is returned.
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

// gather receives one message for each turn, in any order.
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
			return fmt.Errorf("%w; still expected: %s", err, lines(open))
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

// A Checker observes the messages of a conversation, such as to compare each with the schema
// of its revision. Its methods are called in the order of the messages, from the goroutine of
// the test.
type Checker interface {
	// Sent is called with each line that the client sends.
	Sent(line string)
	// Received is called with each line that the server sends, and reports what
	// is wrong with it.
	Received(line string) error
}

package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// record has nothing to do: every step is recorded.
func (t *triptych) record() error { return nil }

func (t *triptych) until(function string, n int) (steps int, took time.Duration, err error) {
	before := t.state.History.End
	err = t.at(function, n, func() (err error) {
		took, err = t.move("continue", args{"record": true}, "breakpoint")
		return err
	})
	return int(t.state.History.End - before), took, err
}

func (t *triptych) back(n int) (time.Duration, error) {
	want := t.state.History.Position - uint64(n)
	took, err := t.move("step_backward", args{"count": n}, "moment")
	if err == nil && t.state.History.Position != want {
		err = fmt.Errorf("%d back is position %d, not %d", n, t.state.History.Position, want)
	}
	return took, err
}

func (t *triptych) beginning() (time.Duration, error) {
	return t.move("reverse_continue", nil, "beginning")
}

func (t *triptych) present() (time.Duration, error) {
	return t.move("seek", nil, "moment", "present")
}

func (t *triptych) written(variable string) (time.Duration, error) {
	var answer struct{ Found bool }
	took, err := t.call("last_write", args{"expression": variable}, &answer)
	if err == nil && !answer.Found {
		err = fmt.Errorf("nothing wrote %s", variable)
	}
	return took, err
}

func (t *triptych) size() int { return t.state.History.Bytes }

func (t *triptych) value(variable string) (uint64, error) {
	var answer struct{ Value string }
	if _, err := t.call("evaluate", args{"expression": variable}, &answer); err != nil {
		return 0, err
	}
	digits, _, _ := strings.Cut(answer.Value, " ")
	return strconv.ParseUint(digits, 0, 64)
}

func (t *triptych) stop(function string) error {
	_, err := t.call("set_breakpoint", args{"function": function}, nil)
	return err
}

func (t *triptych) run() (time.Duration, error) { return t.move("continue", nil, "breakpoint") }

// spell lets the process run for a while, without a breakpoint in its way, and
// stops it.
func (t *triptych) spell(d time.Duration) error {
	if _, err := t.call("continue", args{"wait_ms": d.Milliseconds()}, nil); err != nil {
		return err
	}
	var answer struct{ State state }
	_, err := t.call("pause", nil, &answer)
	t.state = answer.State
	return err
}

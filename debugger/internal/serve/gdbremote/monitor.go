package gdbremote

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/session"
)

// monitorCommands lists the commands after gdb's "monitor".
var monitorCommands = []struct {
	name, help string
	run        func(v *server, ctx context.Context, args string) (string, error)
}{
	{"position", "which position of the history is shown", (*server).showPosition},
	{"seek", "N: let the next continue or stepi go to position N", (*server).seek},
	{"record", "on|off: let continue record every instruction", (*server).setRecord},
	{"breakpoints", "the breakpoints of the session, with those of others", (*server).showBreakpoints},
	{"resume-here", "let the process itself go back to this position of the past", (*server).rewind},
}

// monitor handles qRcmd and returns the output of a command, which gdb prints.
func (v *server) monitor(ctx context.Context, args string) ([]byte, error) {
	line, err := hex.DecodeString(args)
	if err != nil {
		return nil, errArgument
	}
	name, rest, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
	help := ""
	for _, c := range monitorCommands {
		if c.name == name {
			text, err := c.run(v, ctx, strings.TrimSpace(rest))
			if err != nil {
				text = "triptych: " + err.Error()
			}
			return []byte(hex.EncodeToString([]byte(text + "\n"))), nil
		}
		help += fmt.Sprintf("monitor %s: %s\n", c.name, c.help)
	}
	return []byte(hex.EncodeToString([]byte(help))), nil
}

// whileStopped is locked for functions that return text.
func (v *server) whileStopped(ctx context.Context, f func() (string, error)) (string, error) {
	text, err := v.locked(ctx, func() ([]byte, error) {
		text, err := f()
		return []byte(text), err
	})
	return string(text), err
}

func (v *server) showPosition(ctx context.Context, _ string) (string, error) {
	return v.whileStopped(ctx, func() (string, error) {
		p := v.s.Timeline.Position()
		if p == nil {
			return "nothing was recorded yet", nil
		}
		return fmt.Sprintf("position %d of %d to %d", p.Position, p.Oldest, p.End), nil
	})
}

func (v *server) seek(ctx context.Context, args string) (string, error) {
	to, err := strconv.ParseUint(args, 10, 64)
	if err != nil {
		return "", errors.New("want a position, such as monitor seek 1000")
	}
	if v.Role == session.Mirror {
		return "", errReadOnly
	}
	return v.whileStopped(ctx, func() (string, error) {
		h, err := v.s.Timeline.Require()
		if err != nil {
			return "", err
		}
		if to < h.Oldest() || to > h.End() {
			return "", fmt.Errorf("want a position from %d to %d", h.Oldest(), h.End())
		}
		v.seekTo = &to
		return fmt.Sprintf("the next continue or stepi goes to position %d", to), nil
	})
}

func (v *server) setRecord(_ context.Context, args string) (string, error) {
	switch {
	case v.Role == session.Mirror:
		return "", errReadOnly
	case args != "on" && args != "off":
		return "", errors.New("want monitor record on, or off")
	}
	v.Record = args == "on"
	if v.Record {
		return "continue records every instruction, mostly 1 to 5 times slower", nil
	}
	return "continue runs at full speed; only steps are recorded", nil
}

func (v *server) showBreakpoints(ctx context.Context, _ string) (string, error) {
	return v.whileStopped(ctx, func() (string, error) {
		if len(v.s.Breakpoints.ByID) == 0 {
			return "no breakpoints", nil
		}
		var lines []string
		for _, id := range slices.Sorted(maps.Keys(v.s.Breakpoints.ByID)) {
			b := v.s.Breakpoints.ByID[id]
			line := fmt.Sprintf("%d", id)
			for _, p := range b.Places {
				line += fmt.Sprintf(" at %#x", p.Addr)
				if p.Function != "" {
					line += " " + p.Function
				}
			}
			if b.Watch != nil {
				line += fmt.Sprintf(", watches %d bytes", b.Watch.Size)
			}
			lines = append(lines, line)
		}
		return strings.Join(lines, "\n"), nil
	})
}

// rewind makes the process continue from the current recorded position.
func (v *server) rewind(ctx context.Context, _ string) (string, error) {
	switch {
	case v.Role == session.Mirror:
		return "", errReadOnly
	case v.NoWrite:
		return "", errors.New("the server was started with --no-write")
	}
	return v.whileStopped(ctx, func() (string, error) {
		if err := v.s.Target.RequireProcess(); err != nil {
			return "", err
		}
		if !v.s.Timeline.InPast() {
			return "", errors.New("the present is shown, not the past")
		}
		if err := v.s.Stepper.Rewind(ctx); err != nil {
			return "", err
		}
		return v.s.Timeline.TakeNotes(""), nil
	})
}

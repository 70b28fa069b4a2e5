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

// monitor runs the commands after gdb's "monitor".
type monitor struct {
	client *client
	moves  *moves
}

// A monitorCommand is a command for people.
type monitorCommand struct {
	name, help string
	run        func(ctx context.Context, args string) (string, error)
}

// commands returns the commands; help refers to the table.
func (mo *monitor) commands() []monitorCommand {
	return []monitorCommand{
		{"position", "which position of the history is shown", mo.showPosition},
		{"seek", "N: let the next continue or stepi go to position N", mo.seek},
		{"record", "on|off: let continue record every instruction", mo.setRecord},
		{"breakpoints", "the breakpoints of the session, with those of others", mo.showBreakpoints},
		{"resume-here", "let the process itself go back to this position of the past", mo.rewind},
	}
}

// run handles qRcmd and returns the output of a command, which gdb prints.
func (mo *monitor) run(ctx context.Context, args string) ([]byte, error) {
	line, err := hex.DecodeString(args)
	if err != nil {
		return nil, errArgument
	}
	name, rest, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
	help := ""
	for _, c := range mo.commands() {
		if c.name == name {
			text, err := c.run(ctx, strings.TrimSpace(rest))
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
func (mo *monitor) whileStopped(ctx context.Context, f func() (string, error)) (string, error) {
	text, err := mo.client.locked(ctx, func() ([]byte, error) {
		text, err := f()
		return []byte(text), err
	})
	return string(text), err
}

func (mo *monitor) showPosition(ctx context.Context, _ string) (string, error) {
	return mo.whileStopped(ctx, func() (string, error) {
		p := mo.client.s.Timeline.Position()
		if p == nil {
			return "nothing was recorded yet", nil
		}
		return fmt.Sprintf("position %d of %d to %d", p.Position, p.Oldest, p.End), nil
	})
}

func (mo *monitor) seek(ctx context.Context, args string) (string, error) {
	to, err := strconv.ParseUint(args, 10, 64)
	if err != nil {
		return "", errors.New("want a position, such as monitor seek 1000")
	}
	if mo.client.Role == session.Mirror {
		return "", errReadOnly
	}
	return mo.whileStopped(ctx, func() (string, error) {
		h, err := mo.client.s.Timeline.Require()
		if err != nil {
			return "", err
		}
		if to < h.Oldest() || to > h.End() {
			return "", fmt.Errorf("want a position from %d to %d", h.Oldest(), h.End())
		}
		mo.moves.seekTo = &to
		return fmt.Sprintf("the next continue or stepi goes to position %d", to), nil
	})
}

func (mo *monitor) setRecord(_ context.Context, args string) (string, error) {
	switch {
	case mo.client.Role == session.Mirror:
		return "", errReadOnly
	case args != "on" && args != "off":
		return "", errors.New("want monitor record on, or off")
	}
	mo.client.Record = args == "on"
	if mo.client.Record {
		return "continue records every instruction, mostly 1 to 5 times slower", nil
	}
	return "continue runs at full speed; only steps are recorded", nil
}

func (mo *monitor) showBreakpoints(ctx context.Context, _ string) (string, error) {
	return mo.whileStopped(ctx, func() (string, error) {
		if len(mo.client.s.Breakpoints.ByID) == 0 {
			return "no breakpoints", nil
		}
		var lines []string
		for _, id := range slices.Sorted(maps.Keys(mo.client.s.Breakpoints.ByID)) {
			b := mo.client.s.Breakpoints.ByID[id]
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
func (mo *monitor) rewind(ctx context.Context, _ string) (string, error) {
	switch {
	case mo.client.Role == session.Mirror:
		return "", errReadOnly
	case mo.client.NoWrite:
		return "", errors.New("the server was started with --no-write")
	}
	return mo.whileStopped(ctx, func() (string, error) {
		if err := mo.client.s.Target.RequireProcess(); err != nil {
			return "", err
		}
		if !mo.client.s.Timeline.InPast() {
			return "", errors.New("the present is shown, not the past")
		}
		if err := mo.client.s.Stepper.Rewind(ctx); err != nil {
			return "", err
		}
		return mo.client.s.Timeline.TakeNotes(""), nil
	})
}

package dap

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/plain"
)

// commandPrefix begins commands in the console of an editor, where everything
// else is an expression. No expression begins with a colon.
const commandPrefix = ":"

// A consoleCommand is a command for people whose editor cannot send custom
// requests.
type consoleCommand struct {
	name, arguments, help string
	run                   func(v *server, ctx context.Context, args string, frame int) (string, error)
}

// consoleCommands returns the commands; help refers to the table.
func consoleCommands() []consoleCommand {
	return []consoleCommand{
		{"last-write", "EXPRESSION", "what has written it last", (*server).lastWriteCommand},
		{"call-trace", "FUNCTION [N]", "what the last, or nth, recorded call of a function did", (*server).callTraceCommand},
		{"seek", "POSITION", "go to a position of the history; without one to the present", (*server).seekCommand},
		{"position", "", "which position of the history is shown", (*server).positionCommand},
		{"record", "on|off", "let continue record every instruction, or run at full speed", (*server).recordCommand},
		{"breakpoints", "", "all breakpoints of the session, with those of others", (*server).breakpointsCommand},
	}
}

// console runs a command and returns what it has to say.
func (v *server) console(ctx context.Context, line string, frame int) (string, error) {
	name, args, _ := strings.Cut(strings.TrimSpace(line), " ")
	help := ""
	for _, c := range consoleCommands() {
		if c.name == name {
			return c.run(v, ctx, strings.TrimSpace(args), frame)
		}
		help += fmt.Sprintf("%s%s: %s\n", commandPrefix, strings.TrimSpace(c.name+" "+c.arguments), c.help)
	}
	if name != "help" {
		return "", fmt.Errorf("there is no command %s%s; %shelp lists them", commandPrefix, name, commandPrefix)
	}
	return help, nil
}

// told calls a command that only tells something.
func (v *server) told(ctx context.Context, f func() (string, error)) (text string, err error) {
	lockErr := v.locked(ctx, func() error {
		text, err = f()
		return err
	})
	return text, lockErr
}

func (v *server) lastWriteCommand(ctx context.Context, args string, frame int) (string, error) {
	return v.told(ctx, func() (string, error) {
		answer, err := v.findLastWrite(ctx, lastWriteArguments{Expression: args, FrameID: frame})
		if err != nil {
			return "", err
		}
		return answer.Text(), nil
	})
}

func (v *server) callTraceCommand(ctx context.Context, args string, _ int) (string, error) {
	function, digits, _ := strings.Cut(args, " ")
	nth := 0
	if digits != "" {
		var err error
		if nth, err = strconv.Atoi(strings.TrimSpace(digits)); err != nil {
			return "", errors.New("the number of the call must be a number")
		}
	}
	return v.told(ctx, func() (string, error) {
		body, err := v.callTrace(ctx, callTraceArguments{Function: function, Nth: nth})
		if err != nil {
			return "", err
		}
		return body.(textBody).Text, nil
	})
}

func (v *server) seekCommand(ctx context.Context, args string, _ int) (string, error) {
	var to seekArguments
	if args != "" {
		n, err := strconv.ParseUint(args, 10, 64)
		if err != nil {
			return "", errors.New("the position must be a number")
		}
		to.Position = &n
	}
	_, err := v.seek(ctx, to)
	return "", err
}

func (v *server) positionCommand(ctx context.Context, _ string, _ int) (string, error) {
	return v.told(ctx, func() (string, error) { return where(v.s), nil })
}

func (v *server) recordCommand(_ context.Context, args string, _ int) (string, error) {
	switch {
	case v.s == nil:
		return "", errNoTarget
	case args != "on" && args != "off":
		return "", errors.New("write on or off")
	}
	v.config.Record = args == "on"
	return "continue records: " + args, nil
}

func (v *server) breakpointsCommand(ctx context.Context, _ string, _ int) (string, error) {
	return v.told(ctx, func() (string, error) {
		var b strings.Builder
		for _, id := range slices.Sorted(maps.Keys(v.s.Breakpoints.ByID)) {
			for _, p := range v.s.Breakpoints.ByID[id].Places {
				fmt.Fprintf(&b, "%d: %s %s %s:%d\n", id, plain.Hex(p.Addr), p.Function, p.File, p.Line)
			}
		}
		if b.Len() == 0 {
			return "no breakpoints", nil
		}
		return b.String(), nil
	})
}

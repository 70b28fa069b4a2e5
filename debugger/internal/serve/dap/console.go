package dap

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/mcp/plain"
)

// commandPrefix begins commands in the console of an editor, where everything
// else is an expression. No expression begins with a colon.
const commandPrefix = ":"

// A console runs the commands that people write in the console of their editor.
type console struct {
	client *client
	looks  *looks
	moves  *moves
}

// A consoleCommand is a command for people whose editor cannot send custom
// requests.
type consoleCommand struct {
	name, arguments, help string
	run                   func(ctx context.Context, args string, frame int) (string, error)
}

// commands returns the commands; help refers to the table.
func (co *console) commands() []consoleCommand {
	return []consoleCommand{
		{"last-write", "EXPRESSION", "what has written it last", co.lastWriteCommand},
		{"call-trace", "FUNCTION [N]", "what the last, or nth, recorded call of a function did", co.callTraceCommand},
		{"seek", "POSITION", "go to a position of the history; without one to the present", co.seekCommand},
		{"position", "", "which position of the history is shown", co.positionCommand},
		{"record", "on|off", "let continue record every instruction, or run at full speed", co.recordCommand},
		{"breakpoints", "", "all breakpoints of the session, with those of others", co.breakpointsCommand},
	}
}

// run runs a command and returns what it has to say.
func (co *console) run(ctx context.Context, line string, frame int) (string, error) {
	name, args, _ := strings.Cut(strings.TrimSpace(line), " ")
	help := ""
	for _, c := range co.commands() {
		if c.name == name {
			return c.run(ctx, strings.TrimSpace(args), frame)
		}
		help += fmt.Sprintf("%s%s: %s\n", commandPrefix, strings.TrimSpace(c.name+" "+c.arguments), c.help)
	}
	if name != "help" {
		return "", fmt.Errorf("there is no command %s%s; %shelp lists them", commandPrefix, name, commandPrefix)
	}
	return help, nil
}

// told calls a command that only tells something.
func (co *console) told(ctx context.Context, f func() (string, error)) (text string, err error) {
	lockErr := co.client.locked(ctx, func() error {
		text, err = f()
		return err
	})
	return text, lockErr
}

func (co *console) lastWriteCommand(ctx context.Context, args string, frame int) (string, error) {
	return co.told(ctx, func() (string, error) {
		answer, err := co.looks.findLastWrite(ctx, lastWriteArguments{Expression: args, FrameID: frame})
		if err != nil {
			return "", err
		}
		return answer.Text(), nil
	})
}

func (co *console) callTraceCommand(ctx context.Context, args string, _ int) (string, error) {
	function, digits, _ := strings.Cut(args, " ")
	nth := 0
	if digits != "" {
		var err error
		if nth, err = strconv.Atoi(strings.TrimSpace(digits)); err != nil {
			return "", errors.New("the number of the call must be a number")
		}
	}
	return co.told(ctx, func() (string, error) {
		body, err := co.looks.callTrace(ctx, callTraceArguments{Function: function, Nth: nth})
		if err != nil {
			return "", err
		}
		return body.(textBody).Text, nil
	})
}

func (co *console) seekCommand(ctx context.Context, args string, _ int) (string, error) {
	var to seekArguments
	if args != "" {
		n, err := strconv.ParseUint(args, 10, 64)
		if err != nil {
			return "", errors.New("the position must be a number")
		}
		to.Position = &n
	}
	_, err := co.moves.seek(ctx, to)
	return "", err
}

func (co *console) positionCommand(ctx context.Context, _ string, _ int) (string, error) {
	return co.told(ctx, func() (string, error) { return where(co.client.s), nil })
}

func (co *console) recordCommand(_ context.Context, args string, _ int) (string, error) {
	switch {
	case co.client.s == nil:
		return "", errNoTarget
	case args != "on" && args != "off":
		return "", errors.New("write on or off")
	}
	co.client.config.Record = args == "on"
	return "continue records: " + args, nil
}

func (co *console) breakpointsCommand(ctx context.Context, _ string, _ int) (string, error) {
	return co.told(ctx, func() (string, error) {
		var b strings.Builder
		for _, id := range slices.Sorted(maps.Keys(co.client.s.Breakpoints.ByID)) {
			for _, p := range co.client.s.Breakpoints.ByID[id].Places {
				fmt.Fprintf(&b, "%d: %s %s %s:%d\n", id, plain.Hex(p.Addr), p.Function, p.File, p.Line)
			}
		}
		if b.Len() == 0 {
			return "no breakpoints", nil
		}
		return b.String(), nil
	})
}

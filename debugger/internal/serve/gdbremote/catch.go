package gdbremote

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
)

// catchSyscalls handles QCatchSyscalls:1;NUMBER;NUMBER… and QCatchSyscalls:0. Without
// numbers all system calls stop. Each packet replaces the one before.
func (bs *breakpoints) catchSyscalls(ctx context.Context, args string) ([]byte, error) {
	on, list, _ := strings.Cut(args, ";")
	event := "syscall"
	if list != "" {
		var numbers []string
		for text := range strings.SplitSeq(list, ";") {
			n, err := strconv.ParseUint(text, 16, 16)
			if err != nil {
				return nil, errArgument
			}
			numbers = append(numbers, strconv.FormatUint(n, 10))
		}
		event += ":" + strings.Join(numbers, ",")
	}
	return bs.client.locked(ctx, func() ([]byte, error) {
		if bs.client.Role == session.Mirror {
			return []byte("OK"), nil
		}
		if err := bs.client.s.Target.RequireExecution(); err != nil {
			return nil, err
		}
		if bs.caught != nil {
			if err := proc.UnlessEnded(bs.client.s.Breakpoints.Clear(bs.caught)); err != nil {
				return nil, err
			}
			bs.caught = nil
		}
		if on != "1" {
			return []byte("OK"), nil
		}
		b, err := bs.client.s.Breakpoints.SetBreakpoint(ctx, stepping.BreakpointSpec{Site: stepping.Site{Catch: event}})
		if err != nil {
			return nil, err
		}
		bs.caught = b
		return []byte("OK"), nil
	})
}

// syscallReason returns the part of a stop reply about a system call.
func syscallReason(call proc.Syscall) string {
	if call.Returned {
		return fmt.Sprintf("syscall_return:%x;", call.Number)
	}
	return fmt.Sprintf("syscall_entry:%x;", call.Number)
}

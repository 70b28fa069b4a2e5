package gdbremote

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
)

// stepAlone makes a step of one thread, while the client leaves the others stopped.
func (v *server) stepAlone(ctx context.Context, thread int, through way) ([]byte, error) {
	v.alone = thread
	defer func() { v.alone = anyThread }()
	return v.move(ctx, through)
}

// aloneReply returns the stop reply for the thread that a client steps alone, as gdb does to
// get over a breakpoint of its own, if the session stopped in another thread. gdb aborts with
// an internal error if such a step ends in another thread. The next packet that resumes is
// answered with the stop of that thread.
func (v *server) aloneReply(stop proc.Stop) (reply []byte, ok bool, err error) {
	if v.alone == anyThread || stop.Ended() {
		return nil, false, nil
	}
	current, err := v.s.Target.View.CurrentThread()
	if err != nil || current == v.alone {
		return nil, false, err
	}
	regs, err := v.s.Target.View.Regs(v.alone)
	if err != nil {
		return nil, false, nil //nolint:nilerr // the thread has ended
	}
	v.untold = true
	v.print("triptych: the session has stopped in another thread, " + v.threadID(current) +
		"; a breakpoint of yours where this one stands keeps gdb here until it is deleted\n")
	return v.threadReply(signalTrap, "", v.alone, regs), true, nil
}

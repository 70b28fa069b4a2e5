package proc

import (
	"context"
	"errors"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/guard"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// A successor is the child with which the process goes on, stopped.
type successor struct {
	id        int // 0 if there is none
	inherited inheritance
	executed  bool // it has begun another program
}

// childTimeout limits how long a child may take to reach its first stop.
const childTimeout = time.Second

// succeed goes on with a child if there is one to go on with. A process that has ended
// may have one whose first stop is still to come.
func (x *execution) succeed() error {
	if x.children.mode != FollowChild {
		return nil
	}
	if x.tracee.ended != nil && x.children.successor.id == 0 && len(x.children.announced)+len(x.children.held) > 0 {
		ctx, cancel := context.WithTimeout(context.Background(), childTimeout)
		defer cancel()
		for x.children.successor.id == 0 && len(x.children.announced)+len(x.children.held) > 0 {
			e, err := x.tracer.Next(ctx, x.pause)
			if err != nil {
				break
			}
			x.events.handle(e)
		}
	}
	if x.children.successor.id == 0 {
		return nil
	}
	return x.goOnWithChild()
}

// goOnWithChild makes the process that of its child, with the same breakpoints. All
// threads are stopped, or the process has ended.
func (x *execution) goOnWithChild() error {
	next := x.children.successor
	mode := x.children.mode
	x.children.mode, x.children.successor = FollowParent, successor{}
	defer func() { x.children.mode = mode }()
	errs := x.events.releaseChildren()
	if !next.executed {
		x.children.clean(next.id, next.inherited, false)
	}
	if x.tracee.ended == nil {
		errs = errors.Join(errs, x.letGo())
		if x.tracee.launched {
			go reapLater(x.tracee.pid)
		}
	}
	memory, err := ptrace.OpenMemory(next.id)
	if err != nil {
		return errors.Join(errs, err)
	}
	x.rescue.forget()
	_ = x.rescue.claim.Close()
	_ = x.tracee.memory.Close()
	x.rescue.claim, x.tracee.memory = guard.Claim(context.Background(), next.id), memory
	x.children.left = x.tracee.pid
	x.tracee.setID(next.id)
	clear(x.threads.byID)
	clear(x.events.early)
	clear(x.cache.threads)
	t := &thread{id: next.id}
	x.threads.byID[t.id], x.threads.current = t, t.id
	x.queue.events, x.tracee.ended = nil, nil
	x.events.forgetImage()
	if next.executed {
		x.breakpoints.forget()
		x.events.leaveSyscallStop(t)
		x.threads.report(t, Stop{Why: Executed})
		return errs
	}
	x.breakpoints.move()
	return errs
}

// releaseSuccessor detaches from the child with which the process was to go on.
func (cs *children) releaseSuccessor() {
	if next := cs.successor; next.id != 0 {
		cs.successor = successor{}
		cs.release(next.id, next.inherited)
	}
}

package dap

import (
	"context"
	"errors"

	"github.com/google/go-dap"
)

// restartArguments hold the arguments of launch as the client has them now, nil
// if they have not changed.
type restartArguments struct {
	Arguments *launchConfig `json:"arguments"`
}

// restart kills the program that was launched and launches it again, with the
// same breakpoints.
func (v *server) restart(ctx context.Context, args restartArguments) (any, error) {
	o := v.origin
	switch {
	case v.s == nil:
		return nil, errNoTarget
	case o.tool != launchTool:
		return nil, errors.New("only a program that was launched can be restarted")
	case !v.configured:
		return nil, errors.New("configurationDone comes first")
	}
	if args.Arguments != nil {
		tool, arguments, err := args.Arguments.call()
		if err != nil {
			return nil, err
		}
		o, v.config = origin{tool, arguments}, args.Arguments.config
	}
	if err := v.endSession(ctx, true); err != nil {
		return nil, err
	}
	v.awaitEnd()
	if v.s.Target.Output != nil { // only launched programs have one
		v.s.Target.Output.Wait()
	}
	v.takeOutput()
	if err := v.open(ctx, o); err != nil {
		v.later = append(v.later, v.sessionEnded)
		return nil, err
	}
	v.exited, v.moving, v.now = false, false, look{}
	if err := v.locked(ctx, func() error { return v.setAgain(ctx) }); err != nil {
		return nil, err
	}
	v.later = append(v.later, v.tellProcess)
	return nil, v.enter(ctx)
}

var errOldAddress = errors.New("the address was one of the program before it was restarted")

// setAgain sets the breakpoints of the client in a new process, and chooses the
// signals. The client is told of those that cannot be set. Addresses mean other places
// there: what was set at one is forgotten.
func (v *server) setAgain(ctx context.Context) error {
	t := &v.breakpoints
	var kept, lost []*breakpoint
	for _, b := range t.all {
		b.set, b.err = nil, nil
		if b.address == 0 {
			kept = append(kept, b)
		} else {
			b.err = errOldAddress
			lost = append(lost, b)
		}
	}
	t.all = kept
	v.signalsDue = v.signals != nil
	err := errors.Join(v.apply(ctx, nil, kept), v.chooseSignals())
	for _, b := range append(lost, kept...) {
		if b.set == nil && b.exception == "" {
			v.out.event("breakpoint", dap.BreakpointEventBody{Reason: "changed", Breakpoint: v.wire(b)})
		}
	}
	return err
}

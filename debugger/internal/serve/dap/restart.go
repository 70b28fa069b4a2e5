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
func (li *lifecycle) restart(ctx context.Context, args restartArguments) (any, error) {
	o := li.origin
	switch {
	case li.client.s == nil:
		return nil, errNoTarget
	case o.tool != launchTool:
		return nil, errors.New("only a program that was launched can be restarted")
	case !li.client.configured:
		return nil, errors.New("configurationDone comes first")
	}
	if args.Arguments != nil {
		tool, arguments, err := args.Arguments.call()
		if err != nil {
			return nil, err
		}
		o, li.client.config = origin{tool, arguments}, args.Arguments.config
	}
	if err := li.endSession(ctx, true); err != nil {
		return nil, err
	}
	li.moves.awaitEnd()
	if li.client.s.Target.Output != nil { // only launched programs have one
		li.client.s.Target.Output.Wait()
	}
	li.client.takeOutput()
	if err := li.open(ctx, o); err != nil {
		li.client.later = append(li.client.later, li.moves.sessionEnded)
		return nil, err
	}
	li.client.exited, li.moves.moving, li.looks.now = false, false, look{}
	if err := li.client.locked(ctx, func() error { return li.settings.setAgain(ctx) }); err != nil {
		return nil, err
	}
	li.client.later = append(li.client.later, li.tellProcess)
	return nil, li.enter(ctx)
}

var errOldAddress = errors.New("the address was one of the program before it was restarted")

// setAgain sets the breakpoints of the client in a new process, and chooses the
// signals. The client is told of those that cannot be set. Addresses mean other places
// there: what was set at one is forgotten.
func (w *settings) setAgain(ctx context.Context) error {
	t := w.breakpoints
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
	w.breakpoints.signalsDue = w.breakpoints.signals != nil
	err := errors.Join(w.breakpoints.apply(ctx, nil, kept), w.breakpoints.chooseSignals())
	for _, b := range append(lost, kept...) {
		if b.set == nil && b.exception == "" {
			w.client.out.event("breakpoint", dap.BreakpointEventBody{Reason: "changed", Breakpoint: w.breakpoints.wire(b)})
		}
	}
	return err
}

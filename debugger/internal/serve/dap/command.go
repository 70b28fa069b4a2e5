package dap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/go-dap"
)

// A handler answers a request with the body of its response.
type handler func(v *server, ctx context.Context, arguments json.RawMessage) (any, error)

// typed returns a handler that decodes its arguments.
func typed[A any](f func(v *server, ctx context.Context, args A) (any, error)) handler {
	return func(v *server, ctx context.Context, arguments json.RawMessage) (any, error) {
		var args A
		if len(arguments) > 0 {
			if err := json.Unmarshal(arguments, &args); err != nil {
				return nil, fmt.Errorf("the arguments are not valid: %w", err)
			}
		}
		return f(v, ctx, args)
	}
}

// still is typed for requests about a stopped process: the handler holds the
// gate of the session.
func still[A any](f func(v *server, ctx context.Context, args A) (any, error)) handler {
	return typed(func(v *server, ctx context.Context, args A) (body any, err error) {
		lockErr := v.locked(ctx, func() error {
			body, err = f(v, ctx, args)
			return err
		})
		return body, lockErr
	})
}

// noArguments are the arguments of requests that have none.
type noArguments struct{}

// commands are the requests that are understood.
var commands = map[string]handler{
	"initialize":        typed((*server).initialize),
	"launch":            typed((*server).launch),
	"attach":            typed((*server).attach),
	"configurationDone": typed((*server).configurationDone),
	"disconnect":        typed((*server).disconnect),
	"terminate":         typed((*server).terminate),
	"restart":           typed((*server).restart),
	"cancel":            typed((*server).cancelRequested),

	"setBreakpoints":            typed((*server).setBreakpoints),
	"setFunctionBreakpoints":    typed((*server).setFunctionBreakpoints),
	"setInstructionBreakpoints": typed((*server).setInstructionBreakpoints),
	"setDataBreakpoints":        typed((*server).setDataBreakpoints),
	"dataBreakpointInfo":        still((*server).dataBreakpointInfo),
	"setExceptionBreakpoints":   typed((*server).setExceptionBreakpoints),
	"exceptionInfo":             still((*server).exceptionInfo),

	"continue":        typed((*server).resume),
	"next":            typed((*server).next),
	"stepIn":          typed((*server).stepIn),
	"stepOut":         typed((*server).stepOut),
	"stepBack":        typed((*server).stepBack),
	"reverseContinue": typed((*server).reverseContinue),
	"pause":           typed((*server).pause),

	"threads":       typed((*server).threads),
	"stackTrace":    still((*server).stackTrace),
	"scopes":        still((*server).scopes),
	"variables":     still((*server).variables),
	"setVariable":   still((*server).setVariable),
	"setExpression": still((*server).setExpression),
	"evaluate":      typed((*server).evaluate),
	"source":        still((*server).source),
	"modules":       still((*server).modules),
	"readMemory":    still((*server).readMemory),
	"writeMemory":   still((*server).writeMemory),
	"disassemble":   still((*server).disassemble),

	"lastWrite": still((*server).lastWrite),
	"callTrace": still((*server).callTrace),
	"seek":      typed((*server).seek),
}

// dispatch calls the handler of a request.
func (v *server) dispatch(ctx context.Context, r requestMessage) (any, error) {
	f := commands[r.Command]
	switch {
	case f == nil:
		return nil, fmt.Errorf("the request %q is not known", r.Command)
	case !v.greeted && r.Command != "initialize" && r.Command != "disconnect":
		return nil, errors.New("the first request must be initialize")
	}
	return f(v, ctx, r.Arguments)
}

// canceledBy returns the number of the request that a request to cancel is
// about, 0 if it is about none.
func canceledBy(arguments json.RawMessage) int {
	var args dap.CancelArguments
	_ = json.Unmarshal(arguments, &args) // the handler reports what is not valid
	if n, ok := requestOfProgress(args.ProgressId); ok {
		return n
	}
	return args.RequestId
}

// cancelRequested answers cancel, which has taken effect when it was read. An
// operation of the process is paused.
func (v *server) cancelRequested(ctx context.Context, args dap.CancelArguments) (any, error) {
	if v.running != nil && args.ProgressId == v.running.progress.id {
		return nil, v.pauseRunning(ctx)
	}
	return nil, nil
}

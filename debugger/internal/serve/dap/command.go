package dap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/go-dap"
)

// A handler answers a request with the body of its response.
type handler func(ctx context.Context, arguments json.RawMessage) (any, error)

// typed returns a handler that decodes its arguments.
func typed[A any](f func(ctx context.Context, args A) (any, error)) handler {
	return func(ctx context.Context, arguments json.RawMessage) (any, error) {
		var args A
		if len(arguments) > 0 {
			if err := json.Unmarshal(arguments, &args); err != nil {
				return nil, fmt.Errorf("the arguments are not valid: %w", err)
			}
		}
		return f(ctx, args)
	}
}

// still is typed for requests about a stopped process: the handler holds the
// gate of the session.
func still[A any](c *client, f func(ctx context.Context, args A) (any, error)) handler {
	return typed(func(ctx context.Context, args A) (body any, err error) {
		lockErr := c.locked(ctx, func() error {
			body, err = f(ctx, args)
			return err
		})
		return body, lockErr
	})
}

// noArguments are the arguments of requests that have none.
type noArguments struct{}

// commands returns the requests that are understood.
func (v *server) commands() map[string]handler {
	return map[string]handler{
		"initialize":        typed(v.initialize),
		"launch":            typed(v.lifecycle.launch),
		"attach":            typed(v.lifecycle.attach),
		"configurationDone": typed(v.lifecycle.configurationDone),
		"disconnect":        typed(v.lifecycle.disconnect),
		"terminate":         typed(v.lifecycle.terminate),
		"restart":           typed(v.lifecycle.restart),
		"cancel":            typed(v.cancelRequested),

		"setBreakpoints":            typed(v.settings.setBreakpoints),
		"setFunctionBreakpoints":    typed(v.settings.setFunctionBreakpoints),
		"setInstructionBreakpoints": typed(v.settings.setInstructionBreakpoints),
		"setDataBreakpoints":        typed(v.settings.setDataBreakpoints),
		"dataBreakpointInfo":        still(v.client, v.settings.dataBreakpointInfo),
		"setExceptionBreakpoints":   typed(v.settings.setExceptionBreakpoints),
		"exceptionInfo":             still(v.client, v.looks.exceptionInfo),

		"continue":        typed(v.moves.resume),
		"next":            typed(v.moves.next),
		"stepIn":          typed(v.moves.stepIn),
		"stepOut":         typed(v.moves.stepOut),
		"stepBack":        typed(v.moves.stepBack),
		"reverseContinue": typed(v.moves.reverseContinue),
		"pause":           typed(v.moves.pause),

		"threads":       typed(v.looks.threads),
		"stackTrace":    still(v.client, v.looks.stackTrace),
		"scopes":        still(v.client, v.looks.scopes),
		"variables":     still(v.client, v.looks.variables),
		"setVariable":   still(v.client, v.looks.setVariable),
		"setExpression": still(v.client, v.looks.setExpression),
		"evaluate":      typed(v.evaluate),
		"source":        still(v.client, v.looks.source),
		"modules":       still(v.client, v.looks.modules),
		"readMemory":    still(v.client, v.looks.readMemory),
		"writeMemory":   still(v.client, v.looks.writeMemory),
		"disassemble":   still(v.client, v.looks.disassemble),

		"lastWrite": still(v.client, v.looks.lastWrite),
		"callTrace": still(v.client, v.looks.callTrace),
		"seek":      typed(v.moves.seek),
	}
}

// dispatch calls the handler of a request.
func (v *server) dispatch(ctx context.Context, r requestMessage) (any, error) {
	f := v.handlers[r.Command]
	switch {
	case f == nil:
		return nil, fmt.Errorf("the request %q is not known", r.Command)
	case !v.greeted && r.Command != "initialize" && r.Command != "disconnect":
		return nil, errors.New("the first request must be initialize")
	}
	return f(ctx, r.Arguments)
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
	if v.moves.running != nil && args.ProgressId == v.moves.running.progress.id {
		return nil, v.moves.pauseRunning(ctx)
	}
	return nil, nil
}

// evaluate evaluates an expression in a frame, or runs a command of the
// console.
func (v *server) evaluate(ctx context.Context, args dap.EvaluateArguments) (any, error) {
	if command, ok := strings.CutPrefix(args.Expression, commandPrefix); ok && (args.Context == "repl" || args.Context == "") {
		text, err := v.console.run(ctx, command, args.FrameId)
		return dap.EvaluateResponseBody{Result: text}, err
	}
	var body dap.EvaluateResponseBody
	err := v.client.locked(ctx, func() (err error) {
		body, err = v.looks.value(ctx, args.Expression, args.FrameId)
		return err
	})
	return body, err
}

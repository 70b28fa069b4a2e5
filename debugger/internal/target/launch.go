package target

import (
	"context"
	"fmt"
	"os"

	"github.com/triptych-mcp/triptych/debugger/internal/proc"
)

// What a launched program reads as its standard input.
const (
	NoInput       = "" // the end of the file, at once
	PipeInput     = "pipe"
	TerminalInput = "terminal"
)

// Launch starts a program, stopped before its first instruction, with its
// standard streams.
func Launch(ctx context.Context, spec proc.Spec, input string, options proc.Options, reason string) (Target, error) {
	in, out, err := streams(input)
	if err != nil {
		return Target{}, err
	}
	spec.Terminal = input == TerminalInput
	started := spec
	started.Files = files(in, out)
	process, err := proc.Launch(ctx, started, options)
	out.Start()
	in.started()
	if err != nil {
		out.Discard()
		_ = in.Close()
		return Target{}, err
	}
	d := OfProcess(process, out, reason)
	d.Input, d.Spec = in, spec
	return d, nil
}

// streams makes the ends of a program's standard streams; its input is nil if
// it has none.
func streams(input string) (*Input, *Output, error) {
	switch input {
	case NoInput:
		out, err := NewOutput()
		return nil, out, err
	case TerminalInput:
		return newTerminal()
	case PipeInput:
	default:
		return nil, nil, fmt.Errorf("a program cannot read a %q", input)
	}
	out, err := NewOutput()
	if err != nil {
		return nil, nil, err
	}
	in, err := newInput()
	if err != nil {
		out.Start()
	}
	return in, out, err
}

// files returns the first descriptors of a program with an input and an output.
func files(in *Input, out *Output) []*os.File {
	switch {
	case in == nil:
		return out.Files()
	case in.isTerminal:
		return []*os.File{out.write, out.write, out.write}
	}
	return []*os.File{in.child, out.write, out.write}
}

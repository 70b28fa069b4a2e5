package target

import (
	"context"
	"errors"
	"os"
	"syscall"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
)

// What a launched program reads as its standard input, if it is not a file, which is named by its
// absolute path.
const (
	NoInput       = "" // the end of the file, at once
	PipeInput     = "pipe"
	TerminalInput = "terminal"
)

// Launch starts a program, stopped before its first instruction, with its
// standard streams.
func Launch(ctx context.Context, spec proc.Spec, input string, options proc.Options, reason string) (Target, error) {
	std, err := openStreams(input)
	if err != nil {
		return Target{}, err
	}
	spec.Terminal = input == TerminalInput
	started := spec
	started.Files = std.files()
	process, err := proc.Launch(ctx, started, options)
	std.out.Start()
	std.release()
	if err != nil {
		std.out.Discard()
		_ = std.in.Close()
		return Target{}, err
	}
	d := OfProcess(process, std.out, reason)
	d.Input, d.InputKind, d.Spec = std.in, input, spec
	return d, nil
}

// streams are the ends of a program's standard streams.
type streams struct {
	in   *Input   // nil if there is none to write to
	file *os.File // that the program reads instead, or nil
	out  *Output
}

func openStreams(input string) (s streams, err error) {
	if input == TerminalInput {
		s.in, s.out, err = newTerminal()
		return s, err
	}
	switch input {
	case NoInput:
	case PipeInput:
		s.in, err = newInput()
	default:
		s.file, err = openInput(input)
	}
	if err != nil {
		return s, err
	}
	if s.out, err = NewOutput(); err != nil {
		s.release()
		_ = s.in.Close()
	}
	return s, err
}

// openInput opens a file that a program reads. It does not wait for a writer of a named pipe.
func openInput(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = &os.PathError{Op: "read", Path: path, Err: syscall.EISDIR}
	default:
		err = setBlocking(f) // the program expects it
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// files returns the first descriptors of the program.
func (s *streams) files() []*os.File {
	first := s.file
	if s.in != nil {
		first = s.in.child
	}
	if s.in != nil && s.in.isTerminal {
		first = s.out.write
	}
	return []*os.File{first, s.out.write, s.out.write}
}

// release closes what the program has by now.
func (s *streams) release() {
	s.in.started()
	if s.file != nil {
		_ = s.file.Close()
	}
}

package traveltools

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/budget"
	"github.com/triptych-mcp/triptych/debugger/internal/program/core"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/looktools"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/session/sourcefile"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// A TraceFile is an open trace with the symbols of its program, for commands that
// print it. It must be used by one goroutine at a time.
type TraceFile struct {
	trace *history.Trace
	scene *target.Trace
	s     *stepping.Stepper
}

// OpenTrace opens a trace that debugger/export_trace wrote in the format binary.
// executable is the path of the program if it has moved, and root a folder with a
// copy of the process's files; either may be "". The account has the memory of the trace.
func OpenTrace(ctx context.Context, path, executable, root string, account *budget.Account, log *slog.Logger) (*TraceFile, error) {
	file, path, err := FindAnywhere(path)
	if err != nil {
		return nil, err
	}
	trace, err := target.ReadTrace(ctx, file, account, func(float64, float64) {})
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	scene, err := target.NewTrace(trace, target.Overrides{Executable: executable, Root: root, Open: FindAnywhere})
	if err != nil {
		return nil, err
	}
	d := scene.Target(path)
	d.Account = account
	s := stepping.NewStepper(inspect.NewInspector(ctx, &d, log), stepping.Budget{})
	return &TraceFile{trace, scene, s}, s.Maps.Refresh() // a trace always has mappings
}

// FindAnywhere opens a file by path, without the restrictions that apply to
// callers of the server.
func FindAnywhere(path string) (*os.File, string, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, "", err
	}
	file, err := core.OpenRegular(full)
	return file, full, err
}

// Close closes the files of the program and the trace.
func (f *TraceFile) Close() error {
	return errors.Join(f.s.Inspector.Program.Close(), f.scene.Files.Close())
}

// Positions returns the first and the last position.
func (f *TraceFile) Positions() (first, last uint64) { return f.trace.Oldest(), f.trace.End() }

// Summary returns a description of the trace.
func (f *TraceFile) Summary() TraceSummary {
	return TraceSummary{
		File: f.s.Target.File, Program: cmp.Or(f.trace.Program, f.scene.Program()), Process: f.s.Target.PID, Threads: f.trace.View().Threads(),
		First: f.trace.Oldest(), Last: f.trace.End(), Begins: f.trace.StartReason(), Missing: append(target.Missing(f.scene.LastMaps, f.scene.Files), f.scene.Overrides.Unused()...),
	}
}

// WriteSteps writes the steps in [from, to) as lines of text or as a JSON object.
// from must be less than to.
func (f *TraceFile) WriteSteps(ctx context.Context, w io.Writer, from, to uint64, asJSON bool) error {
	format := history.Text
	if asJSON {
		format = history.JSON
	}
	_, err := f.trace.Export(ctx, w, history.ExportOptions{
		Format: format, From: from, To: to, Symbolize: f.s.Inspector.Symbolize, Program: f.trace.Program,
	})
	return err
}

// At returns the state of the current thread at a position, with at most the
// given number of frames.
func (f *TraceFile) At(position uint64, frames int) (TraceMoment, error) {
	if err := f.seek(position); err != nil {
		return TraceMoment{}, err
	}
	here := f.s.Target.CurrentStop()
	m := TraceMoment{Position: position, Thread: here.Thread, Address: plain.Hex(here.Address)}
	m.Function, m.File, m.Line = f.s.Inspector.Place(here.Address)
	if m.File != "" {
		m.source = sourcefile.Line(m.File, m.Line)
	}
	regs, err := f.scene.Regs(0)
	if err != nil {
		return TraceMoment{}, err
	}
	in := f.s.Inspector.Instruction(regs.RIP)
	m.Instruction = in.Text(f.s.Inspector.Symbolize)
	for _, row := range inspect.Registers {
		if row.Kind == inspect.General {
			value := row.Get(&regs)
			m.Registers = append(m.Registers, looktools.Register{Name: row.Name, Value: f.s.Target.ShownWord(value), Place: f.s.Inspector.Symbol(value)})
		}
	}
	if frames == 0 {
		return m, nil
	}
	stack, err := f.s.Inspector.Frames(0, frames)
	m.Frames = inspect.StackFrames(stack)
	return m, err
}

// seek goes to a position and loads the symbols of the files mapped there.
func (f *TraceFile) seek(position uint64) error {
	f.s.Maps.Stale = true
	if _, err := f.trace.Seek(position); err != nil {
		return err
	}
	return f.s.Maps.Refresh()
}

// LastWrite returns the last step before a position that wrote to memory, given
// by an address or an expression. If there is none, it returns false and the
// address.
func (f *TraceFile) LastWrite(ctx context.Context, where string, size int, before uint64) (TraceWrite, bool, error) {
	if err := f.seek(before); err != nil {
		return TraceWrite{}, false, err
	}
	addr, err := f.s.Inspector.Address(ctx, where)
	if err != nil {
		return TraceWrite{}, false, err
	}
	found, ok, err := f.trace.Steps.LastWrite(ctx, addr, uint64(size))
	if !ok || err != nil {
		return TraceWrite{Written: plain.Hex(addr), Size: size}, false, err
	}
	w := TraceWrite{Position: found.Position, Thread: found.Thread, Kind: found.Kind.String(), Written: plain.Hex(addr), Size: size}
	if w.After, err = f.bytes(found.Position+1, addr, size); err != nil {
		return w, true, err
	}
	if w.Before, err = f.bytes(found.Position, addr, size); err != nil {
		return w, true, err
	}
	m, err := f.At(found.Position, 0)
	w.Address, w.Function, w.File, w.Line, w.Instruction = m.Address, m.Function, m.File, m.Line, m.Instruction
	return w, true, err
}

// bytes returns the memory at a position, as far as it is known.
func (f *TraceFile) bytes(position, addr uint64, size int) (string, error) {
	if err := f.seek(position); err != nil {
		return "", err
	}
	b := make([]byte, size)
	n, _ := f.scene.ReadMemory(addr, b) // unknown bytes are omitted
	return looktools.SpacedHex(b[:n]), nil
}

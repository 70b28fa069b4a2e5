package debugger

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/triptych-mcp/triptych/debugger/internal/core"
	"github.com/triptych-mcp/triptych/debugger/internal/history"
)

// A TraceFile is a trace with the symbols of its program, for commands that
// print it. It belongs to one goroutine.
type TraceFile struct {
	trace *history.Trace
	scene *traceScene
	s     *stepper
}

// OpenTrace opens a trace that debugger/export_trace has written in the format
// binary. The executable is that of the program if it is no longer where it was,
// and the root a folder with a copy of the process's files; either may be "".
func OpenTrace(ctx context.Context, path, executable, root string, log *slog.Logger) (*TraceFile, error) {
	file, path, err := findAnywhere(path)
	if err != nil {
		return nil, err
	}
	trace, err := readTrace(ctx, file, func(float64, float64) {})
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	scene, err := newTraceScene(trace, places{executable, root, findAnywhere})
	if err != nil {
		return nil, err
	}
	d := scene.debuggee(path)
	s := newStepper(newInspector(ctx, &d, log), 0)
	return &TraceFile{trace, scene, s}, s.refresh() // a trace always has its maps
}

// findAnywhere opens a file for who may read all that the program may.
func findAnywhere(path string) (*os.File, string, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, "", err
	}
	file, err := core.OpenRegular(full)
	return file, full, err
}

// Close closes the program's files.
func (f *TraceFile) Close() error { return errors.Join(f.s.program.Close(), f.scene.files.Close()) }

// Positions are the first and the last one.
func (f *TraceFile) Positions() (first, last uint64) { return f.trace.Oldest(), f.trace.End() }

// Summary says what the trace is about.
func (f *TraceFile) Summary() TraceSummary {
	return TraceSummary{
		File: f.s.file, Program: cmp.Or(f.trace.Program, f.scene.program()), Process: f.s.pid, Threads: f.trace.View().Threads(),
		First: f.trace.Oldest(), Last: f.trace.End(), Begins: f.trace.Begins(), Missing: append(lacking(f.scene.maps, f.scene.files), f.scene.instead.unused()...),
	}
}

// WriteSteps writes the steps between two positions, of which the first must be
// less, as lines of text or as one object of JSON.
func (f *TraceFile) WriteSteps(ctx context.Context, w io.Writer, from, to uint64, asJSON bool) error {
	format := history.Text
	if asJSON {
		format = history.JSON
	}
	_, err := f.trace.Export(ctx, w, history.ExportOptions{
		Format: format, From: from, To: to, Symbolize: f.s.symbolize, Program: f.trace.Program,
	})
	return err
}

// At is the current thread at a position: where it stands, its registers and,
// if they are wanted, so many frames of its stack.
func (f *TraceFile) At(position uint64, frames int) (TraceMoment, error) {
	if err := f.seek(position); err != nil {
		return TraceMoment{}, err
	}
	here := f.s.here()
	m := TraceMoment{Position: position, Thread: here.Thread, Address: hexadecimal(here.Address)}
	m.Function, m.File, m.Line = f.s.place(here.Address)
	if m.File != "" {
		m.source = sourceLine(m.File, m.Line)
	}
	regs, err := f.scene.Regs(0)
	if err != nil {
		return TraceMoment{}, err
	}
	in := f.s.instruction(regs.RIP)
	m.Instruction = in.Text(f.s.symbolize)
	for _, row := range registerRows {
		if !row.short {
			value := row.get(&regs)
			m.Registers = append(m.Registers, registerItem{row.name, hexadecimal(value), f.s.symbol(value)})
		}
	}
	if frames == 0 {
		return m, nil
	}
	stack, err := f.s.frames(0, frames)
	for i := range stack {
		m.Frames = append(m.Frames, newFrameItem(i, &stack[i]))
	}
	return m, err
}

// seek goes to a position. The symbols are those of the files mapped then.
func (f *TraceFile) seek(position uint64) error {
	f.s.stale = true
	if _, err := f.trace.Seek(position); err != nil {
		return err
	}
	return f.s.refresh()
}

// LastWrite finds the last step before a position that has written memory: an
// address, or an expression that is one there. It is false when there is none,
// with what was looked for.
func (f *TraceFile) LastWrite(ctx context.Context, where string, size int, before uint64) (TraceWrite, bool, error) {
	if err := f.seek(before); err != nil {
		return TraceWrite{}, false, err
	}
	addr, err := f.s.address(ctx, where)
	if err != nil {
		return TraceWrite{}, false, err
	}
	found, ok, err := f.trace.LastWrite(ctx, addr, uint64(size))
	if !ok || err != nil {
		return TraceWrite{Written: hexadecimal(addr), Size: size}, false, err
	}
	w := TraceWrite{Position: found.Position, Thread: found.Thread, Kind: found.Kind.String(), Written: hexadecimal(addr), Size: size}
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

// bytes are those of memory at a position, as far as they are known.
func (f *TraceFile) bytes(position, addr uint64, size int) (string, error) {
	if err := f.seek(position); err != nil {
		return "", err
	}
	b := make([]byte, size)
	n, _ := f.scene.ReadMemory(addr, b) // what is not there is left out
	return spaced(b[:n]), nil
}

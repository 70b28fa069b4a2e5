package traveltools

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/budget"
	"github.com/triptych-mcp/triptych/debugger/internal/program/elffile"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// A RecordingSummary describes a recording without a replay.
type RecordingSummary struct {
	File       string   `json:"file"`
	Program    string   `json:"program"`
	Process    int      `json:"process"`
	First      uint64   `json:"first"` // position
	Last       uint64   `json:"last"`
	Ends       string   `json:"ends"`
	Files      int      `json:"files"`             // that the program had mapped
	Needed     []string `json:"needed,omitempty"`  // those that the recording has not
	Missing    []string `json:"missing,omitempty"` // what is wrong with those
	Extensions []string `json:"extensions"`        // of the processor
	Lacks      []string `json:"lacks,omitempty"`   // those that this processor has not
}

// SummarizeRecording reads a recording. The error for another file is nil, and so is the summary.
func SummarizeRecording(ctx context.Context, path string, account *budget.Account) (*RecordingSummary, error) {
	r, path, err := readRecording(path, account)
	if r == nil || err != nil {
		return nil, err
	}
	last := r.Last()
	s := &RecordingSummary{
		File: path, Program: r.Program(), Process: r.Process(), First: r.Event(0).Position, Last: r.End(),
		Ends: last.Describe(), Files: len(r.Files), Extensions: r.Extensions, Lacks: r.Lacks(),
	}
	for _, f := range r.Lacking() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s.Needed = append(s.Needed, f.Path)
		if problem := f.Problem(); problem != "" {
			s.Missing = append(s.Missing, problem)
		}
	}
	return s, nil
}

// readRecording reads a recording, or returns nil for another file.
func readRecording(path string, account *budget.Account) (*recfile.Recording, string, error) {
	file, path, err := FindAnywhere(path)
	if err != nil {
		return nil, path, err
	}
	defer func() { _ = file.Close() }() // it was only read
	if !recfile.Is(file) {
		return nil, path, nil
	}
	r, err := recfile.Read(file, account)
	if err != nil {
		return nil, path, failure.Errorf("Not a recording", "%s: %v", path, err)
	}
	return r, path, nil
}

// PackRecording adds to a recording the files that its replay needs. The new file takes the place of
// the old one. The errors of left say which files could not be added.
func PackRecording(path string) (left []error, err error) {
	from, path, err := FindAnywhere(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = from.Close() }() // it was only read
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil, err
	}
	name := path + ".new"
	to, err := os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	left, err = recfile.Pack(from, to, debugFiles)
	switch {
	case errors.Is(err, recfile.ErrFormat):
		err = failure.Errorf("Not a recording", "%s is none", path)
	case errors.Is(err, recfile.ErrCorrupt), errors.Is(err, recfile.ErrVersion):
		err = failure.Errorf("Not a recording", "%s: %v", path, err)
	}
	if err = errors.Join(err, to.Close()); err == nil {
		err = os.Rename(name, path)
	}
	if err != nil {
		return left, errors.Join(err, os.Remove(name))
	}
	return left, nil
}

// debugFiles returns the separate files with the debug information of the mapped files.
func debugFiles(mapped []recfile.File) []string {
	var list []string
	for n := range mapped {
		if path := elffile.DebugPath(mapped[n].Path, elffile.DebugDirs); path != "" && !slices.Contains(list, path) {
			list = append(list, path)
		}
	}
	return list
}

// Text returns a line for each member.
func (s *RecordingSummary) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Recording: %s\n  Program: %s\n  Process: %d\n", plain.Line(s.File), plain.Line(s.Program), s.Process)
	fmt.Fprintf(&b, "  Positions: %d to %d; %s\n", s.First, s.Last, plain.Line(s.Ends))
	fmt.Fprintf(&b, "  Files: %d, of which %d are in the recording", s.Files, s.Files-len(s.Needed))
	for _, each := range s.Needed {
		b.WriteString("\n  Needs: " + plain.Line(each))
	}
	for _, each := range s.Missing {
		b.WriteString("\n  Missing: " + plain.Line(each))
	}
	fmt.Fprintf(&b, "\n  Processor: x86-64 with those of these extensions that the program has used: %s", strings.Join(s.Extensions, " "))
	if len(s.Lacks) > 0 {
		b.WriteString("\n  This processor lacks: " + strings.Join(s.Lacks, " "))
	}
	return b.String()
}

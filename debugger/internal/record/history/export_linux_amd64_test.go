package history_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// recorded is a history of part of mixed.c up to the end of its region.
func recorded(t *testing.T, part string) (*subject, *history.Recorder) {
	t.Helper()
	s := start(t, build(t, "-O1"), part)
	r := s.recorder(history.Options{})
	result, err := r.Run(t.Context(), 0, history.Limits{Until: s.atEnd})
	if err != nil || result.Why != history.ConditionMet {
		t.Fatalf("%+v, %v", result, err)
	}
	return s, r
}

// A binary trace shows without the process what the process shows: registers,
// vector state and all memory that is in it.
func TestOpen(t *testing.T) {
	s, r := recorded(t, "vectors")
	h := r.History()
	var file bytes.Buffer
	const from, to = 5, 50
	if _, err := h.Back(2); err != nil {
		t.Fatal(err)
	}
	here := h.View().Position()
	done, err := h.Export(t.Context(), &file, history.ExportOptions{Format: history.Binary, From: from, To: to, Program: "mixed"})
	if err != nil {
		t.Fatal(err)
	}
	if done.Bytes != int64(file.Len()) || done.Snapshots != to-from+1 {
		t.Errorf("%+v of %d bytes", done, file.Len())
	}
	if h.View().Position() != here {
		t.Errorf("the view is at %d, was at %d", h.View().Position(), here)
	}
	trace, err := history.Open(t.Context(), &file, nil)
	if err != nil {
		t.Fatal(err)
	}
	if trace.Oldest() != from || trace.End() != to || trace.Program != "mixed" {
		t.Fatalf("positions %d to %d of %s", trace.Oldest(), trace.End(), trace.Program)
	}
	for position := uint64(to); ; position-- {
		for _, h := range []*history.History{h, trace.History} {
			if _, err := h.Seek(position); err != nil {
				t.Fatal(err)
			}
		}
		s.requireSame(trace.View(), s.moment(h.View()))
		if position == from {
			break
		}
	}
	if _, err := trace.View().ReadMemory(0x10, make([]byte, 8)); !errors.Is(err, history.ErrNotTraced) {
		t.Errorf("memory that is not there: %v", err)
	}
}

// A trace shows which files the process had mapped, and what the loader has
// written into them.
func TestOpenFiles(t *testing.T) {
	_, r := recorded(t, "vectors")
	present := r.History().View()
	var file bytes.Buffer
	if _, err := r.History().Export(t.Context(), &file, history.ExportOptions{Format: history.Binary}); err != nil {
		t.Fatal(err)
	}
	trace, err := history.Open(t.Context(), &file, nil)
	if err != nil {
		t.Fatal(err)
	}
	addFileHeads, relocated := 0, 0
	maps := trace.View().Maps()
	for i, m := range maps {
		head := m.Offset == 0 && strings.HasPrefix(m.Path, "/")
		protected := i+1 < len(maps) && m.Read && !m.Write && !m.Execute && maps[i+1].Write && maps[i+1].Path == m.Path
		if !head && !protected {
			continue
		}
		got, want := make([]byte, 4096), make([]byte, 4096)
		if _, err := present.ReadMemory(m.Start, want); err != nil {
			t.Fatal(err)
		}
		if _, err := trace.View().ReadMemory(m.Start, got); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%+v: %v", m, err)
		}
		if head {
			addFileHeads++
		}
		if protected {
			relocated++
		}
	}
	if addFileHeads < 2 || relocated < 2 { // the program, the loader and its libraries
		t.Errorf("%d first pages, %d relocated mappings", addFileHeads, relocated)
	}
}

// moment returns the state that a view shows.
func (s *subject) moment(v *history.View) moment {
	s.t.Helper()
	m := s.readRanges(v, v.Thread(), v.Maps())
	m.position = v.Position()
	return m
}

// Text and JSON have the same steps, with what the program is known to store.
func TestExportText(t *testing.T) {
	_, r := recorded(t, "repeats")
	var text, object bytes.Buffer
	done, err := r.History().Export(t.Context(), &text, history.ExportOptions{Format: history.Text})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(text.String()), "\n")[1:]
	if uint64(len(lines)) != done.Snapshots-1 {
		t.Errorf("%d lines for %d positions", len(lines), done.Snapshots)
	}
	if _, err := r.History().Export(t.Context(), &object, history.ExportOptions{Format: history.JSON}); err != nil {
		t.Fatal(err)
	}
	var trace struct {
		Format   string
		From, To uint64
		Steps    []struct {
			Address, Instruction string
			Memory               []struct{ Address, Before, After string }
		}
	}
	if err := json.Unmarshal(object.Bytes(), &trace); err != nil {
		t.Fatal(err)
	}
	if len(trace.Steps) != len(lines) || trace.Format != "triptych-trace" || trace.To != done.To {
		t.Errorf("%d steps of %s to %d, want %d to %d", len(trace.Steps), trace.Format, trace.To, len(lines), done.To)
	}
	stores := 0
	for i, step := range trace.Steps {
		if !strings.Contains(lines[i], step.Address+" | "+step.Instruction) {
			t.Fatalf("step %d: %q, want %s %s", i, lines[i], step.Address, step.Instruction)
		}
		// rep stosq in this part stores this word.
		if strings.HasPrefix(step.Instruction, "rep stosq") && len(step.Memory) == 1 && step.Memory[0].After == "efcdab8967452301" {
			stores++
		}
	}
	if stores != 50 {
		t.Errorf("%d stores by rep stosq, want 50", stores)
	}
}

func TestExportRange(t *testing.T) {
	_, r := recorded(t, "atomics")
	h := r.History()
	for _, o := range []history.ExportOptions{{From: 5, To: 4}, {Format: "xml"}} {
		if _, err := h.Export(t.Context(), &bytes.Buffer{}, o); err == nil {
			t.Errorf("%+v was exported", o)
		}
	}
}

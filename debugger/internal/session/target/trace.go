package target

import (
	"errors"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/program/core"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// A Trace is the View of a trace. Code that the trace lacks is read from the
// files that the process had mapped, if they are unchanged.
type Trace struct {
	Past

	trace    *history.Trace
	LastMaps procfs.Maps // at the end
	Files    *core.Mapped

	Overrides *overrideOpener
}

// NewTrace returns the view of a trace. The program is opened where it was
// unless the overrides name another path.
func NewTrace(trace *history.Trace, where Overrides) (*Trace, error) {
	instead, err := openOverrides(where)
	if err != nil {
		return nil, err
	}
	v := trace.View()
	s := &Trace{Past: Past{View: v}, trace: trace, LastMaps: slices.Clone(v.Maps()), Overrides: instead}
	s.Files = core.NewMapped(s.LastMaps, v.ReadMemory, instead.open)
	if err := instead.check(s.Program(), s.Files); err != nil {
		return nil, errors.Join(err, s.Files.Close())
	}
	return s, nil
}

// Target returns the target of a session with the trace.
func (s *Trace) Target(path string) Target {
	return Target{
		Kind: "trace", File: path, PID: s.pid(), ProgramPath: s.Program(),
		View: s, History: s.trace.History, OpenImage: ImageOpener(s.Files), CloseFile: s.Files.Close,
	}
}

// Program returns the path of the executable: the one that the trace names if
// it was mapped, else the file with code at the lowest address, which is the program
// on Linux.
func (s *Trace) Program() string {
	lowest := ""
	for _, m := range s.LastMaps {
		if m.Path == s.trace.Program && m.Path != "" {
			return m.Path
		}
		if lowest == "" && m.Execute && strings.HasPrefix(m.Path, "/") {
			lowest = m.Path
		}
	}
	return lowest
}

// pid returns the process id: threads have higher ids than the first one.
func (s *Trace) pid() int { return s.View.Threads()[0] }

// ReadMemory returns how many bytes could be read, and an error if not all
// could.
func (s *Trace) ReadMemory(addr uint64, b []byte) (int, error) {
	for n := 0; ; {
		k, err := s.View.ReadMemory(addr+uint64(n), b[n:])
		if n += k; err == nil || !errors.Is(err, history.ErrNotTraced) || !s.asInFile(addr+uint64(n)) {
			return n, err
		}
		end := (addr + uint64(n) + pageSize) &^ (pageSize - 1)
		k, err = s.Files.ReadMemory(addr+uint64(n), b[n:min(len(b), int(end-addr))])
		if n += k; err != nil {
			return n, noMemory{err}
		}
	}
}

// pageSize is the size of a page in a trace.
const pageSize = 4096

// asInFile reports whether memory cannot have changed since it was mapped: it
// belongs to a file mapping that is not writable, and is not the part just
// below the data that the loader relocates.
func (s *Trace) asInFile(addr uint64) bool {
	maps := s.View.Maps()
	m, ok := maps.Find(addr)
	if last, _ := s.LastMaps.Find(addr); !ok || m != last || m.Write || m.Shared || !strings.HasPrefix(m.Path, "/") {
		return false
	}
	next, ok := maps.Find(m.End)
	return m.Execute || !ok || !next.Write || next.Path != m.Path
}

// Maps returns the mappings at the position.
func (s *Trace) Maps() (procfs.Maps, error) { return s.View.Maps(), nil }

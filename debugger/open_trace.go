package debugger

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/core"
	"github.com/triptych-mcp/triptych/debugger/internal/history"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/mcp"
)

type openTraceArgs struct {
	File       string `json:"file" min:"1" doc:"Path of a trace that debugger/export_trace has written in the format binary, below a folder that --traces names"`
	Executable string `json:"executable,omitempty" doc:"Path of the program if it is no longer where it was, likewise"`
	Root       string `json:"root,omitempty" doc:"Folder with a copy of the process's files, such as those of its container, likewise; it is looked in first"`
}

// Validate checks what the schema does not say.
func (a openTraceArgs) Validate() error {
	return errors.Join(noNull("file", a.File), noNull("executable", a.Executable), noNull("root", a.Root))
}

// maxTrace is how large a trace may be: all of it is kept in memory.
const maxTrace = 1 << 30

// openTrace begins a session with a trace. It stands at its end.
func (t *controlGroup) openTrace(ctx context.Context, call *mcp.Call, args openTraceArgs) (opened, error) {
	if err := t.sessions.room(call.StateKey()); err != nil {
		return opened{}, err
	}
	file, path, err := t.traces.open(args.File)
	if err != nil {
		return opened{}, err
	}
	trace, err := readTrace(ctx, file, func(done, total float64) { call.Progress(ctx, done, total, "bytes read") })
	if err = errors.Join(err, file.Close()); err != nil {
		return opened{}, err
	}
	scene, err := newTraceScene(trace, places{args.Executable, args.Root, t.traces.open})
	if err != nil {
		return opened{}, err
	}
	d := scene.debuggee(path)
	answer := newOpened(&d, scene.files)
	answer.Missing = append(answer.Missing, scene.instead.unused()...)
	answer.note = fmt.Sprintf(", positions %s to %s", thousands(int64(trace.Oldest())), thousands(int64(trace.End())))
	return t.begin(call, d, answer)
}

// readTrace reads all of a trace and tells how far it is.
func readTrace(ctx context.Context, file *os.File, told func(done, total float64)) (*history.Trace, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > maxTrace {
		return nil, failed("Trace too large", "the file has %d MiB and may have %d; export fewer snapshots", info.Size()>>20, maxTrace>>20)
	}
	trace, err := history.Open(ctx, &toldReader{r: io.LimitReader(file, maxTrace), told: func(n int64) {
		told(float64(n), float64(info.Size()))
	}})
	switch {
	case errors.Is(err, history.ErrFormat), errors.Is(err, history.ErrVersion), errors.Is(err, history.ErrCorrupt):
		return nil, failed("Not a trace", "%v", err)
	case err == nil && len(trace.View().Threads()) == 0:
		return nil, failed("Not a trace", "it has no thread")
	}
	return trace, err
}

// A toldReader says now and then how much was read.
type toldReader struct {
	r    io.Reader
	n    int64
	told func(n int64)
}

// toldEvery is how many bytes are between two reports.
const toldEvery = 32 << 20

func (t *toldReader) Read(b []byte) (int, error) {
	n, err := t.r.Read(b)
	if t.n/toldEvery != (t.n+int64(n))/toldEvery {
		t.told(t.n + int64(n))
	}
	t.n += int64(n)
	return n, err
}

// A traceScene is a moment of a trace. Code that the trace lacks is read from
// the files that the process had mapped, if they are still the same.
type traceScene struct {
	past

	trace *history.Trace
	maps  proc.Maps // at the end
	files *core.Mapped

	instead *standIn
}

// newTraceScene makes one. The program is looked for where it was unless
// somebody says where it is.
func newTraceScene(trace *history.Trace, where places) (*traceScene, error) {
	instead, err := newStandIn(where)
	if err != nil {
		return nil, err
	}
	v := trace.View()
	s := &traceScene{past: past{View: v}, trace: trace, maps: slices.Clone(v.Maps()), instead: instead}
	s.files = core.NewMapped(s.maps, v.ReadMemory, instead.open)
	if err := instead.check(s.program(), s.files); err != nil {
		return nil, errors.Join(err, s.files.Close())
	}
	return s, nil
}

// debuggee is what a session with the trace is about.
func (s *traceScene) debuggee(path string) debuggee {
	return debuggee{
		kind: "trace", file: path, pid: s.pid(), program: s.program(),
		scene: s, past: s.trace.History, open: mappedOpener(s.files), close: s.files.Close,
	}
}

// program is the path of the executable: that which the trace names if it was
// mapped, else the lowest file, which is the program on Linux.
func (s *traceScene) program() string {
	lowest := ""
	for _, m := range s.maps {
		if m.Path == s.trace.Program && m.Path != "" {
			return m.Path
		}
		if lowest == "" && strings.HasPrefix(m.Path, "/") {
			lowest = m.Path
		}
	}
	return lowest
}

// pid is that of the process: threads get higher ids than their first one.
func (s *traceScene) pid() int { return s.View.Threads()[0] }

// ReadMemory returns how many bytes could be read.
func (s *traceScene) ReadMemory(addr uint64, b []byte) (int, error) {
	for n := 0; ; {
		k, err := s.View.ReadMemory(addr+uint64(n), b[n:])
		if n += k; err == nil || !errors.Is(err, history.ErrNotTraced) || !s.asInFile(addr+uint64(n)) {
			return n, err
		}
		end := (addr + uint64(n) + pageSize) &^ (pageSize - 1)
		k, err = s.files.ReadMemory(addr+uint64(n), b[n:min(len(b), int(end-addr))])
		if n += k; err != nil {
			return n, noMemory{err}
		}
	}
}

// pageSize is the size of the pages that a trace has.
const pageSize = 4096

// asInFile says whether memory cannot have been written: it is in a mapping of a
// file that is not writable, and not what the loader has filled in, which lies
// just below the data.
func (s *traceScene) asInFile(addr uint64) bool {
	maps := s.View.Maps()
	m, ok := maps.Find(addr)
	if last, _ := s.maps.Find(addr); !ok || m != last || m.Write || m.Shared || !strings.HasPrefix(m.Path, "/") {
		return false
	}
	next, ok := maps.Find(m.End)
	return m.Execute || !ok || !next.Write || next.Path != m.Path
}

// Maps are the mappings of the moment.
func (s *traceScene) Maps() (proc.Maps, error) { return s.View.Maps(), nil }

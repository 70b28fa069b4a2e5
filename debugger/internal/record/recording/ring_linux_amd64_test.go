package recording_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile/recfiletest"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recording"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// recordRing records a program into a ring, compares its output with that of the program
// alone, and returns the file.
func recordRing(t *testing.T, g *recfile.Ring, path string, argv ...string) (recording.Result, []byte) {
	t.Helper()
	needPermission(t)
	command := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	want, _ := command.Output() // the status is compared
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	check(t, err)
	defer func() { _ = out.Close() }()
	result, err := recording.Record(context.Background(), recording.Program{
		Path: argv[0], Args: argv, Files: []uintptr{out.Fd(), out.Fd(), 2},
		// The dynamic linker saves vector registers that are in use when a function is called
		// for the first time. Which are, a replay does not know.
		Env: append(os.Environ(), "LD_BIND_NOW=1"),
	}, g)
	check(t, errors.Join(err, result.Err))
	got, err := os.ReadFile(out.Name())
	if err != nil || !bytes.Equal(got, want) || result.Status != command.ProcessState.ExitCode() {
		t.Errorf("the program has written %.200q (%v), want %.200q: %+v", got, err, want, result)
	}
	file, err := os.ReadFile(path)
	check(t, err)
	return result, file
}

// dueAfter makes a segment due after each so many stops of the program.
func dueAfter(g *recfile.Ring, stops int) {
	n, begun := 0, 0
	g.DueWhen(func() bool {
		if begun != g.Begun() {
			n, begun = 0, g.Begun()
		}
		n++
		return n > stops
	})
}

// TestRing records programs into rings whose segments are short. A replay of the last segment
// has the same states as one that begins before it. A sample records only some.
func TestRing(t *testing.T) {
	sample.Alone(t)
	threads := debuggertest.Compile(t, filepath.Join("testdata", "threads.c"), nil, "gcc", "-O1", "-pthread")
	for n, test := range []struct {
		name  string
		stops int
		argv  []string
	}{
		{"read", 60, []string{threads, "read"}},
		{"robust", 5, []string{threads, "robust"}},
		{"condition", 60, []string{threads, "condition"}},
		{"gzip", 25, []string{"/bin/gzip", "-c", "/bin/bash"}},
		{"join", 25, []string{threads, "join"}},
		{"handover", 25, []string{threads, "handover"}},
		{"timeouts", 5, []string{threads, "timeouts"}},
		{"poll", 5, []string{threads, "poll"}},
		{"signals", 25, []string{threads, "signals"}},
		{"leader", 5, []string{threads, "leader"}},
		{"unknown", 5, []string{threads, "unknown"}},
		{"shared", 5, []string{threads, "shared"}},
		{"sleep", 5, []string{threads, "sleep"}},
		{"exec", 60, []string{"/bin/bash", "--norc", "-c", "for ((i = 0; i < 500; i++)); do ((s += i)); done; echo $s; exec /bin/gzip -c /bin/bash"}},
	} {
		if !sample.Whole() && n >= 2 {
			break
		}
		t.Run(test.name, func(t *testing.T) {
			g, path := recfiletest.NewRing(t, 0)
			dueAfter(g, test.stops)
			result, file := recordRing(t, g, path, test.argv...)
			t.Logf("%d to %d, %d events, %d bytes, %d of %d segments", result.First, result.Positions, result.Events, len(file), len(g.Segments()), g.Begun()+1)
			r := open(t, file)
			if first := r.Event(0).Position; first == 0 || first != result.First || len(g.Segments()) != 2 {
				t.Errorf("the first position is %d, the result %+v, with %d segments", first, result, len(g.Segments()))
			}
			const head = len("TRIPTYCH RECORDING\n") + 2
			compareSegments(t, r, open(t, slices.Concat(file[:head], file[g.Segments()[1]:])))
		})
	}
}

// compareSegments compares the states of two recordings with the same end.
func compareSegments(t *testing.T, r, last *recfile.Recording) {
	t.Helper()
	first, end := last.Event(0).Position, last.End()
	if first <= r.Event(0).Position || end != r.End() {
		t.Fatalf("the recordings begin at %d and %d, and end at %d and %d", r.Event(0).Position, first, r.End(), end)
	}
	replayWhole(t, r)
	want, got := map[uint64]sum{}, map[uint64]sum{}
	for n := range uint64(5) {
		want[first+(end-first)*n/4], got[first+(end-first)*n/4] = sum{}, sum{}
	}
	sums(t, r, want)
	sums(t, last, got)
	for position, w := range want {
		if g := got[position]; g.registers != w.registers || g.vector != w.vector || g.memory != w.memory {
			t.Errorf("position %d: other registers: %t, vector registers: %t, memory: %t",
				position, g.registers != w.registers, g.vector != w.vector, g.memory != w.memory)
		}
	}
}

// TestAttachRing records a process that runs already into a ring, up to its end.
func TestAttachRing(t *testing.T) {
	l := startLive(t, 6)
	g, path := recfiletest.NewRing(t, 0)
	dueAfter(g, 3)
	done := l.attached(t, t.Context(), g)
	l.awaitTraced(t)
	l.tell(t)
	result := <-done
	l.finish(t, wantThreads)
	file, err := os.ReadFile(path)
	check(t, err)
	r := open(t, file)
	if first := r.Event(0).Position; result.Running || result.Cut != "" || first == 0 || first != result.First {
		t.Errorf("%+v, and the file begins at %d", result, first)
	}
	replayWhole(t, r)
	seekSome(t, r)
}

// TestFollowRing records the children of a program into rings.
func TestFollowRing(t *testing.T) {
	needPermission(t)
	var mu sync.Mutex
	files := make(map[int]string)
	child := func(pid int) io.WriteCloser {
		g, path := recfiletest.NewRing(t, 0)
		dueAfter(g, 2)
		mu.Lock()
		defer mu.Unlock()
		files[pid] = path
		return g
	}
	result, err := recording.Record(t.Context(), recording.Program{
		Path: "/bin/bash", Args: []string{"bash", "--norc", "-c", "(exit 3); /bin/echo 1 >&2"}, Env: os.Environ(), Files: []uintptr{0, 1, 1}, Child: child,
	}, io.Discard)
	check(t, errors.Join(err, result.Err))
	if len(result.Children) != 2 {
		t.Errorf("%+v", result.Children)
	}
	for _, c := range result.Children {
		file, err := os.ReadFile(files[c.PID])
		check(t, errors.Join(err, c.Err))
		r := open(t, file)
		if first := r.Event(0).Position; first != c.First || c.Status == 0 && first == 0 {
			t.Errorf("%+v, and the file begins at %d", c, first)
		}
		replayWhole(t, r)
	}
}

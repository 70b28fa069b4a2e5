package recording_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recording"
	"github.com/triptych-mcp/triptych/debugger/internal/record/replay"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// A run is a recorded run of a program, and what it wrote to its standard output.
type run struct {
	result recording.Result
	file   []byte
	output []byte
}

// record runs a program and records it.
func record(t *testing.T, argv ...string) run {
	t.Helper()
	needPermission(t)
	path, err := exec.LookPath(argv[0])
	if err != nil {
		t.Skipf("the test needs %s", argv[0])
	}
	out, err := os.CreateTemp(t.TempDir(), "out")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = null.Close() }()
	var file bytes.Buffer
	var r run
	r.result, err = recording.Record(t.Context(), recording.Program{
		Path: path, Args: argv, Env: os.Environ(), Files: []uintptr{null.Fd(), out.Fd(), 2},
	}, &file)
	check(t, errors.Join(err, r.result.Err))
	r.file = file.Bytes()
	if r.output, err = os.ReadFile(out.Name()); err != nil {
		t.Fatal(err)
	}
	return r
}

// onTracer calls f on the thread of a tracer, and checks its error.
func onTracer(t *testing.T, f func(tracer *ptrace.Tracer) error) {
	t.Helper()
	needPermission(t)
	tracer, err := ptrace.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer tracer.Close()
	check(t, tracer.Do(context.WithoutCancel(t.Context()), func() error { return f(tracer) }))
}

// refusal is the error of the smallest recording, if the kernel does not permit it.
var refusal = sync.OnceValue(func() error {
	_, err := os.Stat("/bin/true")
	if err != nil {
		return err
	}
	result, err := recording.Record(context.Background(), recording.Program{Path: "/bin/true", Args: []string{"true"}}, io.Discard)
	if err = errors.Join(err, result.Err); errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOSYS) {
		return err
	}
	return nil // any other error is one of the tests
})

// needPermission skips the test if the kernel does not permit what every recording needs.
func needPermission(t testing.TB) {
	t.Helper()
	if err := refusal(); err != nil {
		t.Skip("nothing can be recorded here: ", err)
	}
}

// open reads a recording.
func open(t *testing.T, file []byte) *recfile.Recording {
	t.Helper()
	r, err := recfile.Read(bytes.NewReader(file), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestPrograms records programs, compares what they write with what they write
// without a recorder, and replays them to their ends.
func TestPrograms(t *testing.T) {
	thrower := debuggertest.Build(t, "thrower.cc", "-O2")
	for _, argv := range [][]string{
		{"/bin/ls", "-l", "/etc/passwd"},
		{"gzip", "-c", "/bin/ls"},
		{"sort", "--parallel=1", "/etc/services"},
		{thrower},
		{"bash", "--norc", "-c", "for ((i = 0; i < 50; i++)); do ((s += i)); done; echo $s $(echo child | tr a-z A-Z); exec /bin/echo other"},
	} {
		t.Run(argv[0], func(t *testing.T) {
			sample.Case(t)
			want, err := exec.CommandContext(t.Context(), argv[0], argv[1:]...).Output()
			if err != nil {
				t.Skip(err)
			}
			r := record(t, argv...)
			if r.result.Status != 0 || r.result.Cut != "" || !bytes.Equal(r.output, want) {
				t.Errorf("%+v and %d bytes of output, want %d", r.result, len(r.output), len(want))
			}
			t.Logf("%d positions, %d events, %d bytes", r.result.Positions, r.result.Events, len(r.file))
			replayWhole(t, open(t, r.file))
		})
	}
}

// replayWhole replays a recording to its end.
func replayWhole(t *testing.T, r *recfile.Recording) {
	t.Helper()
	onTracer(t, func(tracer *ptrace.Tracer) error {
		p, err := replay.NewPlayer(tracer, r)
		if err != nil {
			return err
		}
		return errors.Join(p.Finish(t.Context()), p.Close())
	})
}

// TestInputs replays a program with inputs of all kinds.
func TestInputs(t *testing.T) {
	program := debuggertest.Compile(t, filepath.Join("testdata", "inputs.c"), nil, "gcc", "-O1")
	for _, test := range []struct {
		argument       string
		status, killed int
	}{{"", 4, 0}, {"crash", -1, 6}} {
		t.Run(test.argument, func(t *testing.T) {
			r := record(t, program, test.argument)
			if r.result.Status != test.status || r.result.Killed != test.killed || r.result.Cut != "" {
				t.Errorf("%+v", r.result)
			}
			if !bytes.HasPrefix(r.output, []byte("14 123 ")) || !bytes.HasSuffix(r.output, []byte("\n3\n")) { // 0 + 0 + 7 + 0 + 7 + 0
				t.Errorf("%q", r.output)
			}
			file := open(t, r.file)
			if last := file.Last(); last.Kind != recfile.Ended || last.Status != test.status || last.Number != uint64(test.killed) {
				t.Errorf("%+v", last)
			}
			replayWhole(t, file)
		})
	}
}

// TestCut records a program that shares its memory with a child: it is recorded until
// then, and runs on.
func TestCut(t *testing.T) {
	sharing := debuggertest.Compile(t, filepath.Join("testdata", "sharing.c"), nil, "gcc", "-O1")
	r := record(t, sharing)
	if r.result.Status != 5 || r.result.Cut != inplace.ErrThreads.Error() || string(r.output) != "alone\nwith a child\n" {
		t.Errorf("%+v, output %q", r.result, r.output)
	}
	file := open(t, r.file)
	if last := file.Last(); last.Kind != recfile.Cut || last.Reason != r.result.Cut || last.Position < 1000 {
		t.Errorf("%+v", last)
	}
	replayWhole(t, file)
}

// TestThreadsRunOn records a program with several threads until it traces others. The threads run
// on then.
func TestThreadsRunOn(t *testing.T) {
	r := record(t, debuggertest.Compile(t, filepath.Join("testdata", "tracing.c"), nil, "gcc", "-O1", "-pthread"))
	if r.result.Status != 6 || r.result.Cut != "the program traces others" || string(r.output) != "all threads have ended\n" {
		t.Errorf("%+v, output %q", r.result, r.output)
	}
	replayWhole(t, open(t, r.file))
}

// TestNothingIsKept looks for what a recording has left in this process: the memory that
// it had shared with the program.
func TestNothingIsKept(t *testing.T) {
	record(t, "/bin/true")
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(maps, []byte("/memfd: (deleted)")) {
		t.Errorf("shared memory is still mapped:\n%s", maps)
	}
}

// check fails the test with an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

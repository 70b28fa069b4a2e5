package recording_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recording"
)

// buffers keep the recordings of children.
type buffers struct {
	mu    sync.Mutex
	files map[int]*buffer
}

type buffer struct{ bytes.Buffer }

func (b *buffer) Close() error { return nil }

func (b *buffers) add(pid int) io.WriteCloser {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.files[pid] = new(buffer)
	return b.files[pid]
}

// TestFollow records programs with their children, compares what they write and how the
// children end with what they do without a recorder, and replays all recordings.
func TestFollow(t *testing.T) {
	spawn := debuggertest.Compile(t, filepath.Join("testdata", "spawn.c"), nil, "gcc", "-O1")
	for _, test := range []struct {
		name     string
		argv     []string
		children []int // their statuses, in ascending order
	}{
		{"bash", []string{"/bin/bash", "--norc", "-c", "/bin/echo 1 | tr 1-9 a-i; (exit 3); echo $?; exit 5"}, []int{0, 0, 3}},
		{"spawn", []string{spawn}, []int{0, 4}},
	} {
		t.Run(test.name, func(t *testing.T) {
			needPermission(t)
			command := exec.CommandContext(t.Context(), test.argv[0], test.argv[1:]...)
			want, _ := command.Output() // the status is compared
			out, err := os.CreateTemp(t.TempDir(), "out")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = out.Close() }()
			var file bytes.Buffer
			children := &buffers{files: make(map[int]*buffer)}
			result, err := recording.Record(t.Context(), recording.Program{
				Path: test.argv[0], Args: test.argv, Env: os.Environ(), Files: []uintptr{out.Fd(), out.Fd(), 2}, Child: children.add,
			}, &file)
			check(t, errors.Join(err, result.Err))
			got, err := os.ReadFile(out.Name())
			if err != nil || !bytes.Equal(got, want) || result.Status != command.ProcessState.ExitCode() {
				t.Errorf("it has written %q (%v), status %d, want %q and %d", got, err, result.Status, want, command.ProcessState.ExitCode())
			}
			var statuses []int
			for _, c := range result.Children {
				if c.Err != nil || c.Cut != "" || c.Running {
					t.Errorf("%+v", c)
				}
				statuses = append(statuses, c.Status)
			}
			if slices.Sort(statuses); !slices.Equal(statuses, test.children) || len(children.files) != len(test.children) {
				t.Errorf("the children have ended with %v, want %v", statuses, test.children)
			}
			replayWhole(t, open(t, file.Bytes()))
			for pid := range maps.Keys(children.files) {
				t.Logf("child %d: %d bytes", pid, children.files[pid].Len())
				replayWhole(t, open(t, children.files[pid].Bytes()))
			}
		})
	}
}

// TestFollowEnds records programs whose end does not wait for a child that is still recorded,
// or for one whose first stop comes after the end of the recording.
func TestFollowEnds(t *testing.T) {
	program := debuggertest.Compile(t, filepath.Join("testdata", "outlived.c"), nil, "gcc", "-O1")
	for _, test := range []struct {
		name   string
		argv   []string
		status int
		cut    bool
	}{
		{"before its child", []string{program}, 0, false},
		{"cut after fork", []string{program, "cut"}, 7, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			needPermission(t)
			input, end, err := os.Pipe()
			check(t, err)
			defer func() { _, _ = input.Close(), end.Close() }() // the child ends
			_, err = end.WriteString("x")
			check(t, err)
			children := &buffers{files: make(map[int]*buffer)}
			result, err := recording.Record(context.Background(), recording.Program{
				Path: program, Args: test.argv, Files: []uintptr{input.Fd(), 2, 2}, Child: children.add,
			}, io.Discard)
			check(t, errors.Join(err, result.Err))
			if result.Status != test.status || (result.Cut != "") != test.cut {
				t.Errorf("%+v", result)
			}
		})
	}
}

// TestFollowWithChaos records a child with chaos. The same seed leads to the same schedule of its
// threads, and most others to other ones.
func TestFollowWithChaos(t *testing.T) {
	needPermission(t)
	program := debuggertest.Compile(t, filepath.Join("testdata", "family.c"), nil, "gcc", "-O1", "-pthread")
	outputs := make(map[string]bool)
	for seed := range uint64(4) {
		first, second := childWithSeed(t, program, seed+1), childWithSeed(t, program, seed+1)
		if first != second {
			t.Errorf("seed %d: the child has written %q, then %q", seed+1, first, second)
		}
		outputs[first] = true
	}
	if len(outputs) == 1 {
		t.Error("all seeds have led to the same output")
	}
}

// childWithSeed records a program with chaos, replays its child and returns what that has written.
func childWithSeed(t *testing.T, program string, seed uint64) string {
	t.Helper()
	out, err := os.CreateTemp(t.TempDir(), "out")
	check(t, err)
	defer func() { _ = out.Close() }()
	children := &buffers{files: make(map[int]*buffer)}
	result, err := recording.Record(t.Context(), recording.Program{
		Path: program, Args: []string{program}, Files: []uintptr{out.Fd(), out.Fd(), 2}, Child: children.add, Seed: seed, Chaos: true,
	}, io.Discard)
	check(t, errors.Join(err, result.Err))
	if result.Status != 0 || len(result.Children) != 1 || result.Children[0].Status != 0 {
		t.Fatalf("%+v", result)
	}
	replayWhole(t, open(t, children.files[result.Children[0].PID].Bytes()))
	written, err := os.ReadFile(out.Name())
	check(t, err)
	return string(written)
}

package recording_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/debugger/internal/record/replay"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// elsewhere is the variable that has a child of the test replay a recording on another machine: it
// has a file system of its own, without any file of this one.
const elsewhere = "TRIPTYCH_TEST_ELSEWHERE"

// pack returns a recording with all that its replay needs.
func pack(t *testing.T, file []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	left, err := recfile.Pack(bytes.NewReader(file), &b, noFurther)
	check(t, errors.Join(append(left, err)...))
	return b.Bytes()
}

func noFurther([]recfile.File) []string { return nil }

// TestPackedElsewhere replays a packed recording where none of the files is that the program had
// mapped: they are missing, or others. Without the pack the error names them and the remedy.
func TestPackedElsewhere(t *testing.T) {
	sample.Alone(t)
	if path := os.Getenv(elsewhere); path != "" {
		replayElsewhere(t, path)
		return
	}
	r := record(t, "bash", "--norc", "-c", "for ((i = 0; i < 50; i++)); do ((s += i)); done; exec sort /etc/passwd")
	lacking := open(t, r.file).Lacking()
	if !slices.ContainsFunc(lacking, func(f recfile.File) bool { return strings.Contains(f.Path, "libc") }) {
		t.Errorf("it lacks %v", lacking)
	}
	packed := pack(t, r.file)
	if lacking := open(t, packed).Lacking(); len(lacking) > 0 {
		t.Errorf("packed, it lacks %v", lacking)
	}
	if out := inOtherRoot(t, packed); !strings.Contains(out, "--- PASS: TestPackedElsewhere") {
		t.Errorf("%s", out)
	}
	if out := inOtherRoot(t, r.file); !strings.Contains(out, "no such file or directory") || !strings.Contains(out, "record again with --pack") {
		t.Errorf("%s", out)
	}
}

// inOtherRoot runs the test in an empty file system and returns its output.
func inOtherRoot(t *testing.T, file []byte) string {
	t.Helper()
	dir := t.TempDir()
	test, err := os.ReadFile("/proc/self/exe")
	check(t, err)
	path := filepath.Join(dir, "packed.recording")
	check(t, errors.Join(os.WriteFile(path, file, 0o600), os.WriteFile(filepath.Join(dir, "test"), test, 0o700)))
	copyLibraries(t, dir)
	command := exec.CommandContext(t.Context(), filepath.Join(dir, "test"), "-test.run=^TestPackedElsewhere$", "-test.v")
	command.Env = append(os.Environ(), elsewhere+"="+dir)
	command.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		command.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		command.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		command.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	out, err := command.CombinedOutput()
	if errors.Is(err, unix.EPERM) {
		t.Skip("the system lets nobody have a file system of his own: ", err)
	}
	return string(out)
}

// copyLibraries gives the test its own loader and libraries in a folder, with a byte more: they are
// other files than those that the program had mapped.
func copyLibraries(t *testing.T, dir string) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/maps")
	check(t, err)
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); strings.Contains(line, ".so") {
			copyLibrary(t, dir, fields[len(fields)-1])
		}
	}
	program, err := elf.Open("/proc/self/exe")
	check(t, err)
	if loader := program.Section(".interp"); loader != nil {
		path, err := loader.Data()
		check(t, err)
		copyLibrary(t, dir, strings.TrimRight(string(path), "\x00"))
	}
	check(t, program.Close())
}

func copyLibrary(t *testing.T, dir, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	check(t, errors.Join(err, os.MkdirAll(filepath.Dir(dir+path), 0o700), os.WriteFile(dir+path, append(data, 0), 0o700)))
}

// replayElsewhere makes a folder the root of the file system and replays the recording in it.
func replayElsewhere(t *testing.T, dir string) {
	t.Helper()
	err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	for _, name := range []string{"/proc", "/dev"} {
		err = errors.Join(err, os.Mkdir(dir+name, 0o700), unix.Mount(name, dir+name, "", unix.MS_BIND|unix.MS_REC, ""))
	}
	if err = errors.Join(err, unix.Chroot(dir), os.Chdir("/")); errors.Is(err, unix.EPERM) {
		t.Skip("the system permits no mounts: ", err)
	}
	check(t, err)
	if _, err := os.Stat("/etc"); !errors.Is(err, os.ErrNotExist) {
		t.Fatal("the root is not empty")
	}
	file, err := os.ReadFile("/packed.recording")
	check(t, err)
	line, err := replay.NewTimeline(t.Context(), open(t, file))
	check(t, err)
	var names []string
	maps := line.History().View().Maps()
	for _, m := range maps {
		names = append(names, m.Path)
	}
	if !slices.ContainsFunc(names, func(name string) bool { return strings.HasSuffix(name, "/sort") }) {
		t.Errorf("the maps have the files %q", names)
	}
	check(t, line.Close())
}

// TestChangedFiles replays a recording after its program was built anew, and after a file was
// replaced that the program had mapped and unmapped again, as /etc/ld.so.cache is: both are in it.
func TestChangedFiles(t *testing.T) {
	source := filepath.Join("testdata", "mapsfile.c")
	built, err := os.ReadFile(debuggertest.Compile(t, source, nil, "gcc", "-O1"))
	check(t, err)
	program := filepath.Join(t.TempDir(), "mapsfile")
	check(t, os.WriteFile(program, built, 0o700))
	data := filepath.Join(t.TempDir(), "data")
	check(t, os.WriteFile(data, bytes.Repeat([]byte("some data\n"), 10_000), 0o600))
	r := record(t, program, data)
	if want := "data: 100000 bytes\n"; string(r.output) != want {
		t.Fatalf("%q", r.output)
	}
	file := open(t, r.file)
	for _, f := range file.Lacking() {
		if f.Path == program || f.Path == data || f.Path == "/etc/ld.so.cache" {
			t.Errorf("the recording lacks %s", f.Path)
		}
	}
	check(t, errors.Join(os.WriteFile(program, []byte("another"), 0o700), os.Remove(data)))
	replayWhole(t, open(t, r.file))
}

// TestPackCut packs a recording that ends early: what it has is there.
func TestPackCut(t *testing.T) {
	sample.Alone(t)
	r := record(t, "/bin/ls", "/")
	for _, size := range []int{len(r.file) - 1, len(r.file) * 9 / 10} {
		cut, packed := open(t, r.file[:size]), open(t, pack(t, r.file[:size]))
		if packed.Len() != cut.Len() || packed.Last().Kind != recfile.Cut || packed.End() != cut.End() || len(packed.Lacking()) > 0 {
			t.Errorf("%d events to %d, want %d to %d; it lacks %v", packed.Len(), packed.End(), cut.Len(), cut.End(), packed.Lacking())
		}
		replayWhole(t, packed)
	}
}

// TestCutByOneByte cuts off the ends of short recordings: one byte costs the end of the program, and
// none of its system calls. The whole file without its last tenth has most of them.
func TestCutByOneByte(t *testing.T) {
	r := record(t, "/bin/ls", "/")
	whole := open(t, r.file)
	last := whole.Event(whole.Len() - 2) // before the end
	cut := open(t, r.file[:len(r.file)-1])
	if got := cut.Event(cut.Len() - 2); got.Position != last.Position || cut.Len() != whole.Len() || cut.Last().Kind != recfile.Cut {
		t.Errorf("%d events to %d, want %d to %d", cut.Len(), got.Position, whole.Len(), last.Position)
	}
	replayWhole(t, cut)
	short := open(t, r.file[:len(r.file)*9/10])
	if short.Len() < whole.Len()/2 {
		t.Errorf("%d events, want most of %d", short.Len(), whole.Len())
	}
	replayWhole(t, short)
}

// TestPackFurther packs a file that the program had not mapped, such as one with debug information:
// it is there by its path where it is no more. One that is missing is named, and one that the table
// has is not added again.
func TestPackFurther(t *testing.T) {
	sample.Alone(t)
	recorded := record(t, "/bin/true").file
	r := open(t, recorded)
	dir := t.TempDir()
	further := filepath.Join(dir, "true.debug")
	want := bytes.Repeat([]byte("debug information "), 200_000) // of several pieces
	check(t, os.WriteFile(further, want, 0o600))
	var b bytes.Buffer
	left, err := recfile.Pack(bytes.NewReader(recorded), &b, func(mapped []recfile.File) []string {
		return []string{further, filepath.Join(dir, "none"), mapped[0].Path}
	})
	check(t, err)
	if len(left) != 1 || !errors.Is(left[0], os.ErrNotExist) {
		t.Errorf("what is left: %v", left)
	}
	check(t, os.Remove(further))
	packed := open(t, b.Bytes())
	if n := len(packed.Files) - len(r.Files); n != 1 {
		t.Errorf("%d files are added", n)
	}
	timeline, err := replay.NewTimeline(t.Context(), packed)
	check(t, err)
	defer func() { check(t, timeline.Close()) }()
	file, err := timeline.Open(further)
	check(t, err)
	got, err := io.ReadAll(io.NewSectionReader(file, 0, int64(len(want))+1))
	if check(t, errors.Join(err, file.Close())); err == nil && !bytes.Equal(got, want) {
		t.Errorf("the file has %d bytes, want %d", len(got), len(want))
	}
}

// TestFalseContents replays a recording with other contents of files than those of their digests.
func TestFalseContents(t *testing.T) {
	honest := record(t, "/bin/true")
	const contents = 'C' // the tag of blocks that end with a piece of a file
	kept := open(t, changeBlocks(t, honest.file, contents, func(payload []byte) { payload[len(payload)-1]++ }))
	if _, err := replay.NewTimeline(t.Context(), kept); !errors.Is(err, recfile.ErrCorrupt) {
		t.Errorf("false contents: %v", err)
	}
}

// changeBlocks changes the payloads of the blocks of a recording that have a tag.
func changeBlocks(t *testing.T, file []byte, tag byte, change func(payload []byte)) []byte {
	t.Helper()
	const head, window = len("TRIPTYCH RECORDING\n") + 2, 1 << 20
	in, err := zstd.NewReader(bytes.NewReader(file[head:]))
	check(t, err)
	defer in.Close()
	blocks, err := io.ReadAll(in)
	check(t, err)
	for at := 0; at < len(blocks); {
		n, length := binary.Uvarint(blocks[at+1:])
		payload := blocks[at+1+length:][:n]
		if blocks[at] == tag {
			change(payload)
		}
		at += 1 + length + int(n)
	}
	out, err := zstd.NewWriter(nil, zstd.WithWindowSize(window))
	check(t, err)
	return out.EncodeAll(blocks, bytes.Clone(file[:head]))
}

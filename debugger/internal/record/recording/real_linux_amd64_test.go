package recording_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/debugger/internal/record/replay"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// compared limits the memory that is compared at a position, in bytes.
const compared = 16 << 20

// TestRealPrograms records large programs. At random positions a replay and a timeline have
// the same registers, vector registers and memory, also from another copy of the file.
func TestRealPrograms(t *testing.T) {
	sample.OnlyWhole(t)
	seeks := sample.Count(0, 10)
	folder := t.TempDir()
	for name, text := range map[string]string{
		"lines":    shuffledLines(1 << 17),
		"inserts":  "create table t(a integer primary key, b text);\n" + strings.Repeat("insert into t(b) values (random());\n", 5000) + "select count(b) from t;\n",
		"unit.c":   "int first(int n) { return n; }\n" + cFunctions(200),
		"jit.js":   "let s = 0; for (let i = 0; i < 3e6; i++) s = (s * 31 + i) % 1000003; console.log(s)",
		"mixed.py": pythonProgram,
	} {
		check(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	at := func(name string) string { return filepath.Join(folder, name) }
	threads := debuggertest.Compile(t, filepath.Join("testdata", "threads.c"), nil, "gcc", "-O1", "-pthread")
	vectors := debuggertest.Compile(t, filepath.Join("testdata", "vectors.c"), nil, "gcc", "-O1", "-pthread", "-lm")
	sum, err := exec.CommandContext(t.Context(), vectors).Output()
	check(t, err)
	goroutines := debuggertest.Compile(t, filepath.Join("testdata", "goroutines.go"), nil, "go", "build")
	collections := "rustc"
	if _, err := exec.LookPath(collections); err == nil {
		collections = debuggertest.Compile(t, filepath.Join("testdata", "collections.rs"), nil, "rustc", "-O")
	}
	for _, test := range []struct {
		name, output string
		argv         []string
	}{
		{"redis-server", "", []string{"redis-server", "--port", "0", "--save", "", "--unixsocket", at("redis")}},
		{"rust", "108900 180 true\n", []string{collections}},
		{"gzip", "", []string{"gzip", "-c", at("lines")}},
		{"sort", "", []string{"sort", "--parallel=4", at("lines")}},
		{"sqlite3", "5000\n", []string{"sqlite3", ":memory:", ".read " + at("inserts")}},
		{"sqlite3 with a log", "wal\n5000\n", []string{"sqlite3", at("database"), "pragma journal_mode=wal;", ".read " + at("inserts")}},
		{"python3", "[0, 1, 4]\nB\ncaught\n", []string{"python3", at("mixed.py")}},
		{"node", "488037\n", []string{"node", at("jit.js")}},
		{"cc1", "", []string{compiler(t), "-quiet", "-O1", at("unit.c"), "-o", at("unit.s")}},
		{"perl", "499500\n", []string{"perl", "-e", `my $s = 0; $s += $_ for 0..999; print "$s\n"`}},
		{"bash", "2\n3\n3\n", []string{"bash", "--norc", "-c", "for i in 1 2; do echo $i | tr 12 23; done; (exit 3); echo $?"}},
		{"go", "23825755\n", []string{goroutines}},
		{"vectors", string(sum), []string{vectors}},
		{"threads", "", []string{threads, "condition"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var driven <-chan error
			if test.name == "redis-server" {
				driven = driveRedis(t, at("redis"), 500)
			}
			r := record(t, test.argv...)
			if r.result.Status < 0 || r.result.Cut != "" || test.output != "" && string(r.output) != test.output {
				t.Fatalf("%+v, output %.200q, want %q", r.result, r.output, test.output)
			}
			t.Logf("%d positions, %d events, %d bytes", r.result.Positions, r.result.Events, len(r.file))
			if driven != nil {
				check(t, <-driven)
			}
			compareSeeks(t, r.file, seeks)
			compareSteps(t, r.file, seeks)
			compareExport(t, r.file, seeks)
		})
	}
}

// compiler returns the C compiler proper, which gcc starts.
func compiler(t *testing.T) string {
	path, err := exec.CommandContext(t.Context(), "gcc", "-print-prog-name=cc1").Output()
	if err != nil {
		return "cc1"
	}
	return strings.TrimSpace(string(path))
}

// pythonProgram has threads, a child with a shell, and an exception.
const pythonProgram = `import subprocess
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(3) as pool:
    print(list(pool.map(lambda x: x * x, range(3))), flush=True)
print(subprocess.run("echo b | tr a-z A-Z", shell=True, capture_output=True, text=True).stdout, end="", flush=True)
try:
    [][1]
except IndexError:
    print("caught")
`

func shuffledLines(n int) string {
	var b strings.Builder
	random := rand.New(rand.NewPCG(1, 2))
	for range n {
		b.WriteString(strconv.FormatUint(random.Uint64(), 10) + "\n")
	}
	return b.String()
}

func cFunctions(n int) string {
	var b strings.Builder
	for k := range n {
		name := strconv.Itoa(k)
		b.WriteString("int f" + name + "(int n)\n{\n\tint r = n;\n\tfor (int k = 0; k < n; k++)\n\t\tr = r * " + name + " + first(k);\n\treturn r;\n}\n")
	}
	return b.String()
}

// compareSeeks compares the states that a forward replay passes with those that a timeline
// of the same file, written and read again, goes to.
func compareSeeks(t *testing.T, file []byte, seeks int) {
	t.Helper()
	r := open(t, file)
	random := rand.New(rand.NewPCG(1, uint64(r.End())))
	want := map[uint64]sum{}
	first := firstOfLast(r)
	for range seeks {
		want[first+random.Uint64N(r.End()-first)] = sum{}
	}
	sums(t, r, want)
	line := timeline(t, open(t, bytes.Clone(file)))
	for position, w := range want {
		if _, err := line.History().Seek(position); err != nil {
			t.Fatal(err)
		}
		v := line.History().View()
		regs, err := v.Regs(0)
		check(t, err)
		vector, err := v.XState(0, nil)
		check(t, err)
		got := sumOf(regs, vector, w.maps, v.ReadMemory)
		if got.registers != w.registers || got.memory != w.memory || got.vector != w.vector {
			t.Errorf("position %d: other registers: %t, vector registers: %t, memory: %t",
				position, got.registers != w.registers, got.vector != w.vector, got.memory != w.memory)
		}
	}
}

// firstOfLast returns the first position of the last program of a recording.
func firstOfLast(r *recfile.Recording) (first uint64) {
	for n := range r.Len() {
		if e := r.Event(n); e.Kind == recfile.Image {
			first = e.Position + 1
		}
	}
	return first
}

// A sum is the state at a position as digests.
type sum struct {
	registers, vector, memory [sha256.Size]byte

	maps procfs.Maps // whose memory it is
}

// sums replays a recording and fills in the sums at some positions.
func sums(t *testing.T, r *recfile.Recording, at map[uint64]sum) {
	t.Helper()
	onTracer(t, func(tracer *ptrace.Tracer) error {
		p, err := replay.NewPlayer(tracer, r)
		if err != nil {
			return err
		}
		for _, position := range slices.Sorted(maps.Keys(at)) {
			if err := p.RunTo(t.Context(), position); err != nil {
				return errors.Join(err, p.Close())
			}
			vector := make([]byte, 1<<14)
			n, err := tracer.XState(p.Runner().Thread(), vector)
			mappings, err2 := mappings(p)
			if err := errors.Join(err, err2); err != nil {
				return errors.Join(err, p.Close())
			}
			at[position] = sumOf(p.Regs(), vector[:n], mappings, p.Memory().Read)
		}
		return errors.Join(p.Finish(t.Context()), p.Close())
	})
}

// sumOf returns a sum. A translated replay clears dead flags.
func sumOf(regs ptrace.Regs, vector []byte, mappings procfs.Maps, read func(addr uint64, b []byte) (int, error)) sum {
	regs.EFlags, regs.OrigRAX = 0, 0
	s := sum{maps: mappings, vector: sha256.Sum256(vectorRegisters(vector))}
	var words []byte
	for _, word := range regs.Words() {
		words = binary.LittleEndian.AppendUint64(words, word)
	}
	s.registers = sha256.Sum256(words)
	hash := sha256.New()
	left := compared
	for _, m := range mappings {
		b := make([]byte, min(m.End-m.Start, uint64(left)))
		n, _ := read(m.Start, b) // to the end of the file
		hash.Write(b[:n])
		left -= len(b)
	}
	hash.Sum(s.memory[:0])
	return s
}

// vectorRegisters returns the registers xmm0 to xmm15 of a state.
func vectorRegisters(state []byte) []byte {
	const first, size = 160, 16 * 16 // see struct _fpstate
	return state[min(first, len(state)):min(first+size, len(state))]
}

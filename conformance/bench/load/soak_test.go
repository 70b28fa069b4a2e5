//go:build linux

package load_test

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/conformance/bench/load"
	"github.com/triptych-mcp/triptych/conformance/internal/binary"
)

var (
	soakFor  = flag.Duration("soak", 15*time.Second, "how long the program is kept busy")
	soakFile = flag.String("soak-file", "", "also write what was seen to this file")
)

// soakConns is the number of connections in use.
const soakConns = 16

// readings lists the requests of both transports: read-only calls of each family that needs
// no other process, and what the protocol answers by itself.
var readings = []load.Message{
	load.Ping(), load.List(),
	load.Call("get_ruleset", `{"name":"rule_1"}`), load.Call("list_rulesets", `{}`),
	load.Call("search_rulesets", `{"pattern":"rule_*"}`), load.Call("fetch_instruction", `{"day":1}`),
}

// TestSoak keeps the program busy over both transports at once, as fast as it can,
// and wants it to be at the end as it was after a warm-up: no slower, no bigger,
// with as many files open, and with no goroutines but those of its connections.
// Half an hour of it is make soak.
func TestSoak(t *testing.T) {
	program, err := binary.Build()
	if err != nil {
		t.Fatal(err)
	}
	conns := []load.SoakTarget{soakPipe(t, program), soakWeb(t, program)}
	intervals, err := load.Soak(t.Context(), conns, *soakFor, max(*soakFor/60, 500*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range conns {
		checkSoaked(t, s.Name, intervals)
		checkGoroutines(t, s)
	}
	if *soakFile != "" {
		text, err := json.Marshal(intervals)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(*soakFile, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// checkSoaked compares the last quarter with the second. What a machine that
// does other things as well may make of either is allowed; what grows with every
// request is not, for there are many.
func checkSoaked(t *testing.T, conn string, all []load.Interval) {
	t.Helper()
	var list []load.Interval
	for _, m := range all {
		if m.Conn == conn {
			list = append(list, m)
		}
	}
	if len(list) < 8 {
		t.Skipf("%s: only %d looks: the machine is too busy", conn, len(list))
	}
	early, late := list[len(list)/4:len(list)/2], list[len(list)*3/4:]
	requests := 0
	for _, m := range list {
		requests += m.N
	}
	t.Logf("%s: %d requests, %.0f /s, p50 %.0f µs, RSS %.1f MiB, %d files, %d threads", conn, requests,
		middle(late, rate), middle(late, p50), middle(late, rss)/(1<<20), late[0].FDs, late[0].Threads)
	for _, c := range []struct {
		what  string
		of    func(load.Interval) float64
		times float64 // as much as before
		plus  float64
	}{
		{"resident memory in bytes", rss, 1.25, 16 << 20},
		{"CPU time of a request in µs", func(m load.Interval) float64 { return m.CPU }, 3, 50},
		{"latency in µs", p50, patience(), 1000},
		{"open files", func(m load.Interval) float64 { return float64(m.FDs) }, 1, 2},
		{"threads", func(m load.Interval) float64 { return float64(m.Threads) }, 1, 32}, // they do not end
	} {
		was, is := middle(early, c.of), middle(late, c.of)
		if most := was*c.times + c.plus; is > most {
			t.Errorf("%s: %s went from %.0f to %.0f, want %.0f at most", conn, c.what, was, is, most)
		}
	}
}

// patience is the tolerated slowdown of a request at the end. In a short
// soak other work of the machine causes it.
func patience() float64 {
	if *soakFor < 5*time.Minute {
		return 1000
	}
	return 3
}

func rate(m load.Interval) float64 { return m.Rate }
func p50(m load.Interval) float64  { return m.P50 }
func rss(m load.Interval) float64  { return float64(m.RSS) }

// middle is the median.
func middle(list []load.Interval, of func(load.Interval) float64) float64 {
	var values []float64
	for _, m := range list {
		values = append(values, of(m))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// checkGoroutines wants no more than a few for each connection and for the
// program itself.
func checkGoroutines(t *testing.T, s load.SoakTarget) {
	t.Helper()
	n, err := load.Goroutines(s.Conn)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d goroutines", s.Name, n)
	if most := 40 + 3*soakConns; n > most {
		t.Errorf("%s: %d goroutines, want %d at most", s.Name, n, most)
	}
}

func soakPipe(t *testing.T, program string) load.SoakTarget {
	t.Helper()
	data := furnish(t)
	// Without the audit trail: at full load it would fill the disk.
	conn := open(t, load.Server{
		Name: "pipe", Argv: []string{program, "stdio", "--data", data, "--log-level", "error", "--no-audit"}, Revision: "2025-11-25",
	})
	// A change first, for lists tell of it.
	change := load.Call("update_ruleset", `{"name":"rule_2","description":"Another description"}`)
	mix, err := load.Prepare(conn, append([]load.Message{change}, slices.Repeat(readings, 10)...)...)
	if err != nil {
		t.Fatal(err)
	}
	return load.SoakTarget{Name: "pipe", Conn: conn, Mix: mix, Parallel: soakConns}
}

func soakWeb(t *testing.T, program string) load.SoakTarget {
	t.Helper()
	data := furnish(t)
	key, err := exec.CommandContext(t.Context(), program, "key", "create", "--data", data,
		"--plan", "enterprise", "--month", "0", "--minute", "0").Output()
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(string(key))
	conn := open(t, load.Server{
		Name: "HTTPS", URL: "https://127.0.0.1:{port}/mcp", Bearer: words[len(words)-1], Revision: "2025-11-25",
		Argv: []string{program, "serve", "--listen", "127.0.0.1:{port}", "--data", data, "--log-level", "error"},
	})
	mix, err := load.Prepare(conn, readings...)
	if err != nil {
		t.Fatal(err)
	}
	return load.SoakTarget{Name: "HTTPS", Conn: conn, Mix: mix, Parallel: soakConns}
}

// open opens a connection, which ends with the test.
func open(t *testing.T, s load.Server) load.Conn {
	t.Helper()
	conn, err := load.Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() }) // it may have been ended
	return conn
}

// furnish makes a data folder with something to read.
func furnish(t *testing.T) string {
	t.Helper()
	data := t.TempDir()
	for name, text := range map[string]string{
		"rulesets/rule_1.md": "---\nname: rule_1\ndescription: A rule\ntags: [go]\n---\n\n# Rule\n",
		"rulesets/rule_2.md": "---\nname: rule_2\ndescription: A rule\ntags: [go]\n---\n\n# Rule\n",

		"aoc/instructions/Day01_phase1.md": "# Day 1\n\nCount.\n",
	} {
		path := filepath.Join(data, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return data
}

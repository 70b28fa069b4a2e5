package debugger_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger"
)

// counting is a program of python3 that calls getppid again and again.
const counting = `
import os, json
d = {str(n): [n, n * n] for n in range(50)}
while True:
    os.getppid()
    d = json.loads(json.dumps(d))
`

// What a stop at a breakpoint costs in a run of python3 that is recorded.
func BenchmarkRecordedStops(b *testing.B) {
	path, err := exec.Command("python3", "-c", "import sys; print(sys.executable, end='')").Output()
	if err != nil {
		b.Skip("there is no python3")
	}
	script := filepath.Join(b.TempDir(), "counting.py")
	if err := os.WriteFile(script, []byte(counting), 0o600); err != nil {
		b.Fatal(err)
	}
	c := connect(b, table(b, debugger.Config{}))
	c.ok("launch", args{"path": string(path), "args": []string{script}, "stop_at_entry": true})
	c.ok("set_breakpoint", args{"function": "getppid", "pending": true})
	c.ok("continue", args{"wait_ms": 60000})
	c.ok("continue", args{"record": true, "wait_ms": 60000})
	before := processorTime(b)
	for b.Loop() {
		var at when
		c.data("continue", args{"record": true, "wait_ms": 60000}, &at)
		if at.State.Reason != "breakpoint" || at.State.Note != "" {
			b.Fatalf("%+v", at.State)
		}
	}
	b.ReportMetric((processorTime(b)-before)*1e3/float64(b.N), "cpu-ms/op")
}

// processorTime returns the seconds that this process has used. The debugged one has not ended.
func processorTime(b *testing.B) float64 {
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
}

package debugger_test

import (
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
)

// A program that has reserved 15 TiB, as one with a sanitizer does, is recorded: only the pages
// that it has are read.
func TestRecordSparse(t *testing.T) {
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": debuggertest.Build(t, "sparse.c", "-O1"), "args": []string{"15360", "1000000"}})
	c.ok("set_breakpoint", args{"file": "sparse.c", "line": debuggertest.Line(t, "sparse.c", "reserved")})
	c.ok("continue", waits)
	c.ok("set_breakpoint", args{"file": "sparse.c", "line": debuggertest.Line(t, "sparse.c", "counted")})
	began := time.Now()
	var at when
	c.data("continue", args{"record": true, "wait_ms": 60000}, &at)
	if at.State.Reason != "breakpoint" || at.State.History.End < 1_000_000 {
		t.Fatalf("%+v, %+v", at.State, at.State.History)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("the recording took %v", took)
	}
	contains(t, c.ok("last_write", args{"expression": "memory[4096]"}), "Value: 0x07, before it 0x01")
}

// A recording that would go on ends at its time.
func TestRecordSparseTime(t *testing.T) {
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": debuggertest.Build(t, "sparse.c", "-O1"), "args": []string{"15360", "1000000000000"}})
	c.ok("set_breakpoint", args{"file": "sparse.c", "line": debuggertest.Line(t, "sparse.c", "reserved")})
	c.ok("continue", waits)
	var at when
	c.data("continue", args{"record": true, "max_ms": 300, "wait_ms": 60000}, &at)
	if at.State.Reason != "limit" || at.State.History.End == 0 {
		t.Fatalf("%+v, %+v", at.State, at.State.History)
	}
}

package debugger_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// A recorded run stops where a free one would, and all that lies between can be
// gone through: breakpoints with conditions and hit counts, watchpoints of any
// number and size.
func TestRecord(t *testing.T) {
	c, _ := stopped(t, "visit")
	c.ok("clear_breakpoint", args{"id": 1})
	c.ok("set_breakpoint", args{"function": "add", "condition": "b > 1", "hit_count": 2})
	contains(t, c.ok("continue", args{"record": true}), "Stopped at breakpoint 2 (")
	contains(t, c.ok("get_variables", nil), "  b: int = 3\n")
	contains(t, c.ok("list_breakpoints", nil), "if b > 1, hits: 2")
	c.ok("clear_breakpoint", args{"id": 2})

	// Everything is there: visit has been called for each of its three times.
	c.ok("set_breakpoint", args{"file": "shapes.c", "line": line(t, "end")})
	for _, count := range []int{2, 1} {
		contains(t, c.ok("reverse_continue", nil), "Stopped at breakpoint 3 (", "In the past")
		contains(t, c.ok("get_variables", nil), fmt.Sprintf("  count: int = %d\n", count))
	}
	contains(t, c.ok("continue", args{"record": true}), "Stopped at breakpoint 3 (", "In the past")
	c.ok("clear_breakpoint", args{"id": 3})
	contains(t, c.ok("continue", args{"record": true}), "Came to the present")

	for i := range 6 { // the processor has four
		c.ok("set_watchpoint", args{"address": fmt.Sprintf("&bytes[%d]", i%4), "size": 1, "recorded": true})
	}
	c.ok("set_watchpoint", args{"expression": "watched", "recorded": true})
	contains(t, c.fails("set_watchpoint", args{"address": "&bytes", "size": 100}, -32602), "size must be 1, 2, 4 or 8")
	text := c.ok("reverse_continue", nil)
	contains(t, text, "Before the write to watchpoint 10 (", "the next step makes it 0x0000000000000006, it is 0x0000000000000003")
	c.ok("set_watchpoint", args{"address": "$rsp - 4096", "size": 4096, "recorded": true})
	contains(t, c.ok("continue", nil), "Stopped at watchpoint 10 (")
	contains(t, c.ok("continue", nil), "Stopped at watchpoint 11 (") // the call in visit
}

// A recording has limits, and a call that waits for it has, too.
func TestRecordLimits(t *testing.T) {
	c, _ := stopped(t, "visit")
	c.ok("clear_breakpoint", args{"id": 1})
	var at when
	c.data("continue", args{"record": true, "max_steps": 100}, &at)
	if at.State.Reason != "limit" || at.State.History.End != 101 {
		t.Errorf("%+v, %+v", at.State, at.State.History)
	}
	if got := c.ok("continue", args{"record": true, "wait_ms": 100}); got != "Process is running" { // it waits for a command
		t.Errorf("continue: %q", got)
	}
	contains(t, c.fails("step_backward", nil, -1), "debugger/pause")
	matches(t, c.ok("pause", nil), `Paused at 0x[0-9a-f]+(?s:\nOutput.*)?`)
	began := time.Now()
	c.data("continue", args{"record": true, "max_ms": 50}, &at)
	if took := time.Since(began); at.State.Reason != "limit" || took > 20*time.Second {
		t.Errorf("%+v after %v", at.State, took)
	}
	c.ok("step_backward", args{"count": 100})
	for _, tt := range []struct {
		args args
		want string
	}{
		{args{"max_steps": 5}, "max_steps and max_ms need record"},
		{args{"max_ms": 5}, "max_steps and max_ms need record"},
		{args{"record": true, "max_steps": 0}, "max_steps"},
		{args{"record": true, "max_ms": -1}, "max_ms"},
		{args{"record": "yes"}, "record must be true or false"},
		{args{"from": "future"}, "from must be"},
	} {
		contains(t, c.fails("continue", tt.args, -32602), tt.want)
	}
}

// A recording that is paused while it begins is no reason to record step by step.
func TestRecordPausedAtOnce(t *testing.T) {
	c, _ := stopped(t, "visit")
	c.ok("clear_breakpoint", args{"id": 1})
	for range 10 {
		c.ok("continue", args{"record": true, "wait_ms": 0})
		if got := c.ok("pause", nil); !strings.HasPrefix(got, "Paused at 0x") || strings.Contains(got, "one by one") {
			t.Errorf("pause: %q", got)
		}
	}
}

// Threads that wait for one another are all recorded.
func TestRecordThreads(t *testing.T) {
	p := debuggertest.Start(t, "threads.c")
	c := connect(t, table(t, debugger.Config{}))
	c.ok("attach", args{"pid": p.PID})
	c.ok("set_breakpoint", args{"file": "threads.c", "line": debuggertest.Line(t, "threads.c", "block"), "one_shot": true})
	c.ok("set_breakpoint", args{"file": "threads.c", "line": debuggertest.Line(t, "threads.c", "unblocked")})
	p.Tell("wait")
	contains(t, c.ok("continue", nil), "Stopped at breakpoint 1 (")
	contains(t, c.ok("continue", args{"record": true, "wait_ms": 60000}), "Stopped at breakpoint 2 (")
	contains(t, c.ok("last_write", args{"expression": "flag"}), "Value: 0x00000001, before it 0x00000000", " tell+")
}

// The first position of what is recorded from a stop has the thread of the stop.
func TestRecordFromThread(t *testing.T) {
	p := debuggertest.Start(t, "threads.c")
	c := connect(t, table(t, debugger.Config{}))
	c.ok("attach", args{"pid": p.PID})
	c.ok("set_breakpoint", args{"function": "tell"})
	c.ok("set_breakpoint", args{"file": "threads.c", "line": debuggertest.Line(t, "threads.c", "unblocked")})
	p.Tell("wait")
	var present, past when
	c.data("continue", nil, &present)
	contains(t, c.ok("continue", args{"record": true, "wait_ms": 60000}), "Stopped at breakpoint 2 (")
	c.data("seek", args{"position": present.State.History.Position}, &past)
	if got, want := past.State, present.State; got.Thread != want.Thread || got.Address != want.Address {
		t.Errorf("thread %d is at %s, the stop was of thread %d at %s", got.Thread, got.Address, want.Thread, want.Address)
	}
}

// The process goes on from the past when that is wanted, and the answer says
// what that does not take back.
func TestContinueFromPast(t *testing.T) {
	c, p := stopped(t, "visit")
	contains(t, c.fails("continue", args{"from": "past"}, -1), "the present is looked at")
	c.ok("clear_breakpoint", args{"id": 1})
	c.ok("set_breakpoint", args{"function": "main", "one_shot": true}) // never reached
	c.ok("set_breakpoint", args{"file": "shapes.c", "line": line(t, "end")})
	contains(t, c.ok("continue", args{"record": true}), "Stopped at breakpoint 3 (")
	first := c.look()
	c.ok("seek", args{"position": 1})
	contains(t, c.ok("get_variables", args{"filter": "count"}), "  count: int = 1")
	text := c.ok("continue", args{"from": "past", "record": true})
	contains(t, text, "Stopped at breakpoint 3 (", "Note: the process went on from position 1; what was recorded after it, to ", ", is dropped")
	if got := c.look(); got != first {
		t.Errorf("done again it is\n%s\nwas\n%s", got, first)
	}
	c.ok("seek", args{"position": 1})
	contains(t, c.ok("continue", args{"from": "past"}), "Stopped at breakpoint 3 (")
	c.ok("clear_breakpoint", args{"id": 3})
	c.ok("seek", args{"position": 1})
	contains(t, c.ok("continue", args{"from": "past", "wait_ms": 100}), "Process is running")
	if got := p.Line(); got != "31" { // as if it had been done once
		t.Errorf("run answers %q, want 31", got)
	}
}

// A crash that has happened does not, when what led to it is put right.
func TestContinueBeforeCrash(t *testing.T) {
	c, p := attach(t, "shapes.c")
	c.ok("set_breakpoint", args{"address": fmt.Sprintf("%#x", p.Symbol("crash"))})
	p.Tell("crash")
	c.ok("continue", nil)
	contains(t, c.ok("continue", args{"record": true}), "Stopped by signal SIGSEGV (")
	c.ok("seek", args{"position": 1})
	c.ok("set_breakpoint", args{"function": "crash", "one_shot": true}) // behind the prologue
	contains(t, c.ok("continue", args{"from": "past", "record": true}), "Stopped at breakpoint 2 (")
	c.ok("set_breakpoint", args{"function": "add", "one_shot": true})
	target := fmt.Sprintf("%016x", p.Symbol("total"))
	swapped := ""
	for i := 14; i >= 0; i -= 2 {
		swapped += target[i : i+2]
	}
	c.ok("write_memory", args{"address": "&where", "hex": swapped})
	c.ok("clear_breakpoint", args{"id": 1})
	contains(t, c.ok("continue", nil), "Stopped at breakpoint 3 (") // crash has returned, add is called
}

// With --no-write the process stays as it is.
func TestFromPastRefused(t *testing.T) {
	p := debuggertest.Start(t, "shapes.c")
	c := connect(t, table(t, debugger.Config{Live: debugger.Live{NoWrite: true}}))
	c.ok("attach", args{"pid": p.PID})
	c.ok("set_breakpoint", args{"function": "deep"})
	p.Tell("deep")
	c.ok("continue", nil)
	c.ok("step_forward", nil)
	c.ok("step_backward", nil)
	contains(t, c.fails("continue", args{"from": "past"}, -32003), "--no-write")
}

// Where a value comes from: the instruction, the stack, the value before.
func TestLastWrite(t *testing.T) {
	c, p := stopped(t, "call")
	contains(t, c.ok("last_write", args{"expression": "watched"}), "Last write to ", "at position 0 by thread", "by the process while it ran by itself",
		"Value: 0x0000000000000001, before it 0x0000000000000000")
	c.ok("clear_breakpoint", args{"id": 1})
	c.ok("set_breakpoint", args{"file": "shapes.c", "line": line(t, "end")})
	c.ok("continue", args{"record": true})
	text := c.ok("last_write", args{"expression": "total"})
	contains(t, text, fmt.Sprintf("Last write to %#x (4 bytes): at position ", p.Symbol("total")), "\nInstruction: mov ", "\nValue: 0x0000000e, before it 0x00000008",
		"\nStack trace:\n#0  0x", " visit+")
	var before, after when
	c.data("threads", nil, &before)
	contains(t, c.ok("last_write", args{"address": "&total", "size": 4, "move": true}), "In the past: snapshot ")
	c.data("threads", nil, &after)
	c.state("", &after)
	if after.State.History == nil || !after.State.History.Past || after.State.Line != line(t, "after")+1 {
		t.Errorf("%+v", after.State)
	}
	contains(t, c.ok("evaluate", args{"expression": "total"}), " = 8")
	contains(t, c.ok("last_write", args{"expression": "total"}), "Value: 0x00000008, before it 0x00000007") // the one before that
	contains(t, c.ok("last_write", args{"expression": "ratio"}), "No write to ", "(8 bytes) is recorded since position 0: recording began there")
	contains(t, c.ok("last_write", args{"address": "0x7978777675747382"}), "No write to 0x7978777675747382 (8 bytes) is recorded since position 0: the memory there cannot be read")
	for _, tt := range []struct {
		args args
		code int
		want string
	}{
		{args{}, -32602, "give either address or expression"},
		{args{"address": "0x10", "expression": "total"}, -32602, "give either address or expression"},
		{args{"expression": "total +"}, -32602, "cannot be understood"},
		{args{"expression": "1 + 1"}, -1, "nothing that is in memory"},
		{args{"expression": "total", "size": 0}, -32602, "size"},
		{args{"expression": "total", "size": 1 << 20}, -32602, "size"},
		{args{"expression": "total", "move": "yes"}, -32602, "move must be true or false"},
	} {
		contains(t, c.fails("last_write", tt.args, tt.code), tt.want)
	}
}

// The documented text of export_trace, and what is in the files.
func TestExportTrace(t *testing.T) {
	c, _ := stopped(t, "sum")
	c.ok("clear_breakpoint", args{"id": 1})
	c.ok("step_forward", args{"count": 1233})
	text := c.ok("export_trace", nil)
	matches(t, text, `Trace exported: 1,235 snapshots\nFile: trace_\d{8}_\d{6}\.json\nSize: \d+\.\d [KM]B`)
	type result struct {
		File, Format string
		Snapshots    int
		Bytes        int64
		From         uint64 `json:"start_snapshot"`
		To           uint64 `json:"end_snapshot"`
	}
	var got result
	c.data("export_trace", args{"format": "json", "start_snapshot": 2, "end_snapshot": 11}, &got)
	info, err := os.Stat(got.File)
	if err != nil || info.Size() != got.Bytes || info.Mode() != fs.FileMode(0o600) || got.Snapshots != 10 || got.From != 2 || got.To != 11 {
		t.Fatalf("%+v, %v, %v", got, info, err)
	}
	var trace struct {
		From, To int
		Steps    []struct {
			Position    int
			Instruction string
		}
	}
	data, err := os.ReadFile(got.File)
	if err == nil {
		err = json.Unmarshal(data, &trace)
	}
	if err != nil || trace.From != 2 || trace.To != 11 || len(trace.Steps) != 9 || trace.Steps[8].Position != 10 || trace.Steps[0].Instruction == "" {
		t.Errorf("%v, %+v", err, trace)
	}
	c.data("export_trace", args{"format": "text"}, &got)
	if data, err = os.ReadFile(got.File); err != nil || strings.Count(string(data), "\n") != 1235 {
		t.Errorf("%v, %d lines, want one for each step and a first one", err, strings.Count(string(data), "\n"))
	}

	a := c.Call("debugger/export_trace", args{"format": "binary"})
	matches(t, a.Text, `Trace exported: 1,235 snapshots\nFile: trace_\d{8}_\d{6}\.trace\nSize: \d+\.\d [KM]B`)
	var raw struct {
		Content []struct {
			Type     string
			Resource struct{ Blob, MimeType string }
		}
	}
	if err := json.Unmarshal(a.Raw, &raw); err != nil || len(raw.Content) != 2 || raw.Content[1].Resource.MimeType != "application/octet-stream" {
		t.Fatalf("%v: %.300s", err, a.Raw)
	}
	if err := json.Unmarshal(a.Structured, &got); err != nil {
		t.Fatal(err)
	}
	data, err = os.ReadFile(got.File)
	inline, decodeErr := base64.StdEncoding.DecodeString(raw.Content[1].Resource.Blob)
	if err != nil || decodeErr != nil || string(inline) != string(data) {
		t.Errorf("the trace in the answer is not the file: %v, %v", err, decodeErr)
	}
	opened, err := history.Open(t.Context(), strings.NewReader(string(data)), nil)
	if err != nil || opened.Oldest() != 0 || opened.End() != 1234 {
		t.Errorf("%v", err)
	}
	if folder := filepath.Base(filepath.Dir(got.File)); folder != "traces" {
		t.Errorf("the file is in %s", folder)
	}
	for _, tt := range []struct {
		args args
		code int
		want string
	}{
		{args{"format": "xml"}, -32602, "format must be"},
		{args{"start_snapshot": 5, "end_snapshot": 4}, -32602, "start_snapshot must not be greater than end_snapshot"},
		{args{"start_snapshot": 5000}, -32602, "start_snapshot 5000 is beyond the end, 1234"},
		{args{"end_snapshot": 5000}, -32602, "end_snapshot 5000 is beyond the present, 1234"},
		{args{"end_snapshot": -5}, -32602, "end_snapshot"},
		{args{"start_snapshot": "first"}, -32602, "start_snapshot"},
	} {
		contains(t, c.fails("export_trace", tt.args, tt.code), tt.want)
	}
}

// Without a history there is nothing to export.
func TestExportNothing(t *testing.T) {
	c, _ := attach(t, "shapes.c")
	for _, tool := range []string{"export_trace", "last_write"} {
		a := args{}
		if tool == "last_write" {
			a["expression"] = "total"
		}
		contains(t, c.fails(tool, a, -32007), "nothing was recorded yet")
	}
}

// A history that is smaller than what was done says what fell out.
func TestHistoryBudget(t *testing.T) {
	p := debuggertest.Start(t, "threads.c")
	c := connect(t, table(t, debugger.Config{Live: debugger.Live{History: 1}}))
	c.ok("attach", args{"pid": p.PID})
	var at when
	c.data("continue", args{"record": true, "max_steps": 60000, "wait_ms": 60000}, &at)
	h := at.State.History
	if h == nil || h.Oldest == 0 || !strings.HasPrefix(h.Begins, "older records made room: 1 MiB are kept in memory; debugger/launch and debugger/attach keep more with history_memory, or in a file with history_file") {
		t.Fatalf("%+v", h)
	}
	contains(t, c.fails("seek", args{"position": 0}, -32007), "older records made room: 1 MiB are kept in memory")
}

// A client chooses how much history a session keeps, over HTTPS no more than the operator.
func TestHistoryMemory(t *testing.T) {
	p := debuggertest.Start(t, "threads.c")
	remote := connect(t, table(t, debugger.Config{Live: debugger.Live{History: 1, Remote: true}}))
	contains(t, remote.fails("attach", args{"pid": p.PID, "history_memory": 2}, -1), "2 MiB, 1 to 1 are possible")
	c := connect(t, table(t, debugger.Config{Live: debugger.Live{History: 1}}))
	c.ok("attach", args{"pid": p.PID, "history_memory": 64})
	var at when
	c.data("continue", args{"record": true, "max_steps": 60000, "wait_ms": 60000}, &at)
	if h := at.State.History; h == nil || h.Oldest != 0 {
		t.Errorf("with 64 MiB, history is %+v", h)
	}
}

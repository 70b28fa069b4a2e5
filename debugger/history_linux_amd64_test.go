package debugger_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
)

// A history has as many bytes as it may have. What made room for more is named with the
// arguments for its budget and its place, and what is still there can be looked at.
func TestRecordTranslatedBudget(t *testing.T) {
	for _, test := range []struct{ argument, begins string }{
		{"history_memory", "older records made room: 1 MiB are kept in memory; debugger/launch and debugger/attach keep more with history_memory, or in a file with history_file"},
		{"history_file", "older records made room: 1 MiB are kept in a file; debugger/launch and debugger/attach keep more with history_file"},
	} {
		t.Run(test.argument, func(t *testing.T) {
			c := connect(t, table(t, debugger.Config{}))
			c.ok("launch", args{"path": debuggertest.Build(t, "reader.c", "-O1"), "args": []string{"100"}, test.argument: 1})
			c.ok("set_breakpoint", args{"function": "take"})
			var at when
			hits := 0
			for ; hits < 50 && (at.State.History == nil || at.State.History.Oldest == 0); hits++ {
				c.ok("continue", args{"record": true, "wait_ms": 60000})
				c.data("step_forward", waits, &at) // so that another recording begins
			}
			if h := at.State.History; h.Oldest == 0 || h.Begins != test.begins {
				t.Fatalf("%+v, %+v", at.State, h)
			}
			for _, f := range unnamedFiles(t) {
				if f.Size > 1<<20 {
					t.Errorf("the file has %d bytes", f.Size)
				}
			}
			contains(t, c.ok("reverse_continue", waits), "Stopped at breakpoint 1 (")
			c.data("seek", args{"position": at.State.History.Oldest, "wait_ms": 60000}, &at)
			if at.State.Function != "take" {
				t.Errorf("%+v", at.State)
			}
			contains(t, c.fails("step_backward", waits, -32007), "older records made room")
		})
	}
}

// A client chooses a file, over HTTPS with as many bytes as the operator permits. The file has
// no name, only its owner may open it, and it is closed with the session.
func TestHistoryFile(t *testing.T) {
	path := debuggertest.Build(t, "work.c", "-O1", "-pthread")
	for _, test := range []struct {
		live debugger.Live
		most string
	}{
		{debugger.Live{History: 2, Remote: true}, "1 to 2 are"},
		{debugger.Live{History: 2, HistoryFile: 8, Remote: true}, "1 to 8 are"},
		{debugger.Live{}, "1 to 1048576 are"},
	} {
		c := connect(t, table(t, debugger.Config{Live: test.live}))
		contains(t, c.fails("launch", args{"path": path, "history_file": 1<<20 + 1}, -1), "1048577 MiB, "+test.most+" possible")
	}
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": path, "args": []string{"3", "40"}, "history_file": 64})
	c.ok("set_breakpoint", args{"function": "done"})
	c.ok("continue", args{"record": true, "wait_ms": 60000})
	if list := unnamedFiles(t); len(list) != 1 || list[0].Size == 0 || list[0].Mode != unix.S_IFREG|0o600 {
		t.Errorf("files without a name: %+v", list)
	}
	if found, err := filepath.Glob(filepath.Join(filepath.Dir(t.TempDir()), "*", "*")); err != nil || len(found) > 0 {
		t.Errorf("%q, %v", found, err)
	}
	c.ok("detach", nil)
	if list := unnamedFiles(t); len(list) > 0 {
		t.Errorf("after the session: %+v", list)
	}
}

// unnamedFiles returns the files without a name below the folders of a test that are open.
func unnamedFiles(t *testing.T) (list []unix.Stat_t) {
	t.Helper()
	all, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range all {
		path, err := os.Readlink(fd)
		var s unix.Stat_t
		if err == nil && strings.HasPrefix(path, filepath.Dir(t.TempDir())) && strings.HasSuffix(path, " (deleted)") && unix.Stat(fd, &s) == nil {
			list = append(list, s)
		}
	}
	return list
}

// When the disk is full, the recording ends, and what was recorded before is still there. What
// follows is recorded in memory.
func TestHistoryFileFull(t *testing.T) {
	folder := t.TempDir()
	if err := unix.Mount("tmpfs", folder, "tmpfs", 0, "size=512k,mode=0700"); err != nil {
		t.Skip("a small file system needs root: ", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(folder, 0); err != nil {
			t.Error("a file is open: ", err)
		}
	})
	c := connect(t, tableIn(t, folder, debugger.Config{}))
	c.ok("launch", args{"path": debuggertest.Build(t, "reader.c", "-O1"), "args": []string{"64"}, "history_file": 64})
	c.ok("set_breakpoint", args{"function": "take"})
	c.ok("set_breakpoint", args{"function": "done"})
	c.ok("continue", args{"record": true, "wait_ms": 60000}) // the first of the pieces
	c.ok("clear_breakpoint", args{"id": 1})
	var at when
	c.data("continue", args{"record": true, "wait_ms": 60000}, &at)
	if at.State.Reason != "limit" || !strings.Contains(at.State.Note, "the recording ends here: the file of the history cannot be written: write ") || !strings.Contains(at.State.Note, "no space left on device") {
		t.Fatalf("%+v", at.State)
	}
	present, end := c.look(), at.State.History.End
	taken := c.ok("evaluate", args{"expression": "taken"})
	contains(t, c.ok("last_write", args{"expression": "taken"}), " take+")
	c.ok("seek", args{"position": 0, "wait_ms": 60000})
	contains(t, c.ok("evaluate", args{"expression": "taken"}), "= 0")
	c.ok("seek", args{"position": end, "wait_ms": 60000})
	if got := c.look(); got != present {
		t.Errorf("%s\nbefore:\n%s", got, present)
	}
	c.ok("set_breakpoint", args{"function": "take"})
	contains(t, c.ok("continue", args{"record": true, "wait_ms": 60000}), "Stopped at breakpoint 3 (", "one by one, which is slow: the file of the history cannot be written: write ")
	c.ok("seek", args{"position": end, "wait_ms": 60000})
	if got := c.ok("evaluate", args{"expression": "taken"}); got != taken {
		t.Errorf("%s, before: %s", got, taken)
	}
	c.ok("detach", args{"kill": true})
}

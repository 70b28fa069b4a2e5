package debugger_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
)

// A container is a process with mount and pid namespaces and a root of its own. Its program
// and source are in a folder of which the outside has other files under the same names.
type container struct {
	t    *testing.T
	dir  string // of the program, on both sides
	root string
	cmd  *exec.Cmd
	in   io.Writer
	out  *bufio.Reader
}

// copyFile copies a file with its mode, and makes its folder.
func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o755); err != nil {
		t.Fatal(err)
	}
}

// newContainer builds the root of a container and starts its program. The test is skipped
// where that is not permitted.
func newContainer(t *testing.T) *container {
	t.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("building container.c needs gcc")
	}
	c := &container{t: t, dir: t.TempDir(), root: t.TempDir()}
	inside := filepath.Join(c.root, c.dir)
	program, source := filepath.Join(inside, "app"), filepath.Join(inside, "container.c")
	copyFile(t, filepath.Join("testdata", "container", "container.c"), source)
	// The debug information has the folder of the inside.
	out, err := exec.CommandContext(t.Context(), gcc, "-g", "-O0", "-ffile-prefix-map="+inside+"="+c.dir, "-o", program, source).CombinedOutput()
	if err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	libraries, err := exec.CommandContext(t.Context(), "ldd", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	for word := range strings.FieldsSeq(string(libraries)) {
		if strings.HasPrefix(word, "/") {
			copyFile(t, word, filepath.Join(c.root, word))
		}
	}
	copyFile(t, "/bin/true", filepath.Join(c.dir, "app"))
	if err := os.WriteFile(filepath.Join(c.dir, "container.c"), []byte(strings.Repeat("another file\n", 40)), 0o600); err != nil {
		t.Fatal(err)
	}
	c.start()
	return c
}

func (c *container) start() {
	c.t.Helper()
	c.cmd = exec.Command(filepath.Join(c.dir, "app")) // killed below, when the debugger has let go
	c.cmd.Dir = "/"
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: c.root, Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID}
	in, err := c.cmd.StdinPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		c.t.Skip("namespaces of its own are not permitted: ", err)
	}
	c.t.Cleanup(func() {
		_ = c.cmd.Process.Kill()
		_ = c.cmd.Wait()
	})
	c.in, c.out = in, bufio.NewReader(out)
	if got := c.line(); got != "ready" {
		c.t.Fatalf("the program writes %q", got)
	}
}

func (c *container) line() string {
	c.t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		c.t.Fatalf("the program ends: %v", err)
	}
	return strings.TrimSpace(line)
}

func (c *container) tell(command string) {
	c.t.Helper()
	if _, err := fmt.Fprintln(c.in, command); err != nil {
		c.t.Fatal(err)
	}
}

// A process in a container is debugged with its own files, also where the outside has
// others under the same names: symbols, lines, variables, source. Its breakpoints are there
// after it has executed itself.
func TestContainer(t *testing.T) {
	p := newContainer(t)
	c := connect(t, table(t, debugger.Config{}))
	c.ok("attach", args{"pid": p.cmd.Process.Pid})
	stack := c.ok("get_stack_trace", nil)
	contains(t, stack, " main+0x", filepath.Join(p.dir, "container.c")+":")
	contains(t, c.ok("set_breakpoint", args{"function": "visit"}), "visit")
	contains(t, c.ok("set_breakpoint", args{"file": "container.c", "line": 17}), "container.c:17")
	p.tell("visit")
	contains(t, c.ok("continue", nil), "Stopped at breakpoint 1")
	contains(t, c.ok("get_variables", nil), "n: int = 7")
	contains(t, c.ok("evaluate", args{"expression": "crate"}), `{weight = 7, label = `, `"inside"`)
	contains(t, c.ok("source", nil), "// only inside")
	contains(t, c.ok("find", args{"kind": "module", "pattern": "*"}), filepath.Join(p.dir, "app"), "libc.so")
	contains(t, c.ok("step_over", nil), "container.c:17")
	contains(t, c.ok("evaluate", args{"expression": "visits"}), "= 7")
	contains(t, c.ok("get_stack_trace", nil), " visit+0x", " main+0x", "__libc_start_main")
	p.tell("again")
	contains(t, c.ok("continue", nil), "Stopped in a new program", "breakpoints set in it: 1, 2")
	if got := p.line(); got != "7 1" {
		t.Errorf("the program writes %q, want 7 and its process id 1", got)
	}
	p.tell("visit")
	contains(t, c.ok("continue", nil), "Stopped at breakpoint 1")
	contains(t, c.ok("source", nil), "// only inside")
	contains(t, c.ok("evaluate", args{"expression": "visits"}), "= 0")
	c.ok("detach", nil)
	p.line() // ready, again
	if got := p.line(); got != "7 1" {
		t.Errorf("after the end of the session the program writes %q", got)
	}
}

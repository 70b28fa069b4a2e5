package keys_test

import (
	"bufio"
	"io"
	"net"
	"os/exec"
	"strings"
	"testing"
)

// A real is a redis-server of the test's own.
type real struct {
	addr string
	args []string
	cmd  *exec.Cmd
}

// start starts a server on a free port, or skips where there is none.
func start(t *testing.T, args ...string) *real {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		t.Skip("redis-server is not installed")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	_ = l.Close() // the server takes its port
	_, port, _ := net.SplitHostPort(addr)
	r := &real{addr: addr, args: append([]string{"--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", t.TempDir()}, args...)}
	r.run(t)
	t.Cleanup(r.stop)
	return r
}

func (r *real) run(t *testing.T) {
	t.Helper()
	r.cmd = exec.Command("redis-server", r.args...)
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.Contains(lines.Text(), "Ready to accept connections") {
			go func() { _, _ = io.Copy(io.Discard, out) }() // until the server ends
			return
		}
	}
	t.Fatal("redis-server did not start")
}

func (r *real) stop() {
	_ = r.cmd.Process.Kill() // it may have ended
	_ = r.cmd.Wait()         // killed
}

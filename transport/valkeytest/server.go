package valkeytest

import (
	"bufio"
	"io"
	"net"
	"os/exec"
	"strings"
	"testing"
)

// A Server is a server of the test's own.
type Server struct {
	Addr string // host and port, the same when it runs again

	t       testing.TB
	program string
	args    []string
	cmd     *exec.Cmd
}

// Start starts redis-server on a free port of the loopback. Arguments beside ours
// are as on the command line; the later of two counts.
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	return StartProgram(t, "redis-server", args...)
}

// StartProgram is [Start] with another program, such as valkey-server.
func StartProgram(t testing.TB, program string, args ...string) *Server {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skip(program + " is not installed")
	}
	addr := FreeAddr(t)
	_, port, _ := net.SplitHostPort(addr)
	s := &Server{
		Addr: addr, t: t, program: program,
		args: options(port, t.TempDir(), args...),
	}
	s.Run()
	return s
}

// Run starts the server again after [Server.Stop], with more arguments if there
// are any, and returns when it takes connections.
func (s *Server) Run(args ...string) {
	s.t.Helper()
	s.args = append(s.args, args...)
	s.cmd = exec.Command(s.program, s.args...) //nolint:noctx // it ends after the clients that tests clean up
	startServer(s.t, s.cmd, s.Addr)
	s.t.Cleanup(s.Stop)
}

// options returns the arguments of a server that keeps nothing, unless more say so, and
// sends its data to a replica at once.
func options(port, folder string, more ...string) []string {
	return append([]string{"--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", folder, "--repl-diskless-sync-delay", "0"}, more...)
}

// startServer starts a command and returns when its server takes connections.
func startServer(t testing.TB, cmd *exec.Cmd, addr string) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.Contains(lines.Text(), "Ready to accept connections") {
			go func() { _, _ = io.Copy(io.Discard, out) }() // until the server ends
			return
		}
	}
	_ = cmd.Process.Kill() // it may have ended
	_ = cmd.Wait()         // killed
	t.Fatalf("%s did not start at %s", cmd.Path, addr)
}

// Stop kills the server, which may have ended.
func (s *Server) Stop() {
	_ = s.cmd.Process.Kill() // it may have ended
	_ = s.cmd.Wait()         // killed
}

// HostPort returns the two parts of the address.
func (s *Server) HostPort() (host, port string) {
	host, port, _ = net.SplitHostPort(s.Addr)
	return host, port
}

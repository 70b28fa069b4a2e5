package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// systemd passes the listening socket as descriptor 3 (sd_listen_fds(3)), and hears
// when the server is ready, alive and stopping (sd_notify(3)).
func TestSystemd(t *testing.T) {
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	descriptor, err := socket.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer descriptor.Close()
	hears := listenForStates(t)

	serve := program(t, "serve", "--plain-http", "--families", "rulesets")
	named := filepath.Join(t.TempDir(), "triptych") // the test binary is the program by this name
	if err := os.Symlink(serve.Path, named); err != nil {
		t.Fatal(err)
	}
	serve.Path, serve.Args = "/bin/sh", append([]string{"sh", "-c", `LISTEN_PID=$$ exec "$0" "$@"`, named}, serve.Args[1:]...)
	serve.Env = append(serve.Env, "LISTEN_FDS=1", "NOTIFY_SOCKET="+hears.LocalAddr().String(), "WATCHDOG_USEC=200000")
	serve.ExtraFiles = []*os.File{descriptor}
	serve.Stderr = new(strings.Builder)
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- serve.Wait() }()
	t.Cleanup(func() { _ = serve.Process.Kill() })

	awaitState(t, hears, "READY=1", serve)
	answer, err := net.DialTimeout("tcp", socket.Addr().String(), patience)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := answer.Write([]byte("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	head := make([]byte, 12)
	if _, err := answer.Read(head); err != nil || string(head) != "HTTP/1.1 200" {
		t.Errorf("/healthz over the socket of systemd: %q, %v", head, err)
	}
	_ = answer.Close()
	awaitState(t, hears, "WATCHDOG=1", serve)
	if err := serve.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	awaitState(t, hears, "STOPPING=1", serve)
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("%v\n%s", err, serve.Stderr)
		}
	case <-time.After(patience):
		t.Error("the server does not end")
	}
}

// listenForStates is the other end of sd_notify.
func listenForStates(t *testing.T) *net.UnixConn {
	t.Helper()
	folder, err := os.MkdirTemp("", "notify") // short: the path of a socket has at most 108 bytes
	if err != nil {
		t.Fatal(err)
	}
	hears, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(folder, "socket"), Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = hears.Close(), os.RemoveAll(folder) })
	return hears
}

func awaitState(t *testing.T, hears *net.UnixConn, want string, serve *exec.Cmd) {
	t.Helper()
	if err := hears.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	for message := make([]byte, 256); ; {
		n, err := hears.Read(message)
		if err != nil {
			t.Fatalf("waiting for %s: %v\n%s", want, err, serve.Stderr)
		}
		if string(message[:n]) == want {
			return
		}
	}
}

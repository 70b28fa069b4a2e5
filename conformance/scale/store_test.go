//go:build unix

package scale_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/conformance/internal/need"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// A node is a redis-server of the test.
type node struct {
	*valkeytest.Server
	client *redis.Client
}

func startNode(t *testing.T, args ...string) *node {
	t.Helper()
	need.Program(t, "redis-server")
	s := valkeytest.Start(t, args...)
	return &node{s, valkeytest.Client(t, "redis://"+s.Addr)}
}

func (n *node) url() string { return "valkey://" + n.Addr }

// info returns a value of INFO.
func (n *node) info(t *testing.T, name string) string {
	t.Helper()
	for line := range strings.Lines(n.client.Info(t.Context(), "everything").Val()) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// signal sends a signal to the process of the server, which must answer INFO before.
func (n *node) signaller(t *testing.T) func(syscall.Signal) {
	t.Helper()
	pid, err := strconv.Atoi(n.info(t, "process_id"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) }) // it may have ended
	return func(s syscall.Signal) {
		if err := syscall.Kill(pid, s); err != nil {
			t.Error(err)
		}
	}
}

// replicaOf starts a replica of a server and waits until it has its data.
func replicaOf(t *testing.T, primary *node, args ...string) *node {
	t.Helper()
	host, port, _ := net.SplitHostPort(primary.Addr)
	replica := startNode(t, append([]string{"--replicaof", host + " " + port, "--repl-diskless-sync-delay", "0"}, args...)...)
	until(t, patience, "the replica follows", func() error {
		if replica.info(t, "master_link_status") != "up" {
			return fmt.Errorf("master_link_status is %q", replica.info(t, "master_link_status"))
		}
		return nil
	})
	return replica
}

// follow makes a server a replica of another one.
func (n *node) follow(t *testing.T, primary *node) {
	t.Helper()
	host, port, _ := net.SplitHostPort(primary.Addr)
	if err := n.client.ReplicaOf(t.Context(), host, port).Err(); err != nil {
		t.Fatal(err)
	}
}

// promote makes a replica a primary.
func (n *node) promote(t *testing.T) {
	t.Helper()
	if err := n.client.ReplicaOf(t.Context(), "NO", "ONE").Err(); err != nil {
		t.Fatal(err)
	}
}

// startSentinel starts a sentinel that watches a primary by itself, and returns the
// URL of the store.
func startSentinel(t *testing.T, primary *node) (url string) {
	t.Helper()
	need.Program(t, "redis-server")
	addr := valkeytest.FreeAddr(t)
	_, port, _ := net.SplitHostPort(addr)
	host, at, _ := net.SplitHostPort(primary.Addr)
	config := filepath.Join(t.TempDir(), "sentinel.conf")
	text := fmt.Sprintf("port %s\nbind 127.0.0.1\nsentinel monitor store %s %s 1\nsentinel down-after-milliseconds store 500\nsentinel failover-timeout store 5000\n", port, host, at)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	daemon(t, "redis-server", config, "--sentinel")
	client := valkeytest.Client(t, "redis://"+addr)
	until(t, patience, "the sentinel knows the replica", func() error {
		if info := client.Info(t.Context(), "sentinel").Val(); !strings.Contains(info, "slaves=1") {
			return fmt.Errorf("it says %q", info)
		}
		return nil
	})
	return "valkey+sentinel://" + addr + "/0?master_name=store"
}

// daemon runs a program until the test ends.
func daemon(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(name, args...) // it ends after the clients that tests clean up
	said := &lockedBuffer{}
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()         // killed
		if t.Failed() {
			t.Logf("%s says:\n%s", name, said.String())
		}
	})
	return cmd
}

// A lockedBuffer collects the output of a program.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// A relay is an address that leads to one server after another, as the endpoint of a
// managed store does: connections stay where they are, new ones go to the new server.
type relay struct {
	listener net.Listener

	mu    sync.Mutex
	to    string // "" refuses
	conns []net.Conn
}

func startRelay(t *testing.T, to string) *relay {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{listener: l, to: to}
	var serving sync.WaitGroup
	serving.Go(r.serve)
	t.Cleanup(func() {
		_ = l.Close() // a test is over
		r.cut("")
		serving.Wait()
	})
	return r
}

func (r *relay) url() string { return "valkey://" + r.listener.Addr().String() }

func (r *relay) serve() {
	var pipes sync.WaitGroup
	defer pipes.Wait()
	for {
		from, err := r.listener.Accept()
		if err != nil {
			return
		}
		to := r.connect(from)
		if to == nil {
			_ = from.Close() // refused
			continue
		}
		for _, way := range [][2]net.Conn{{from, to}, {to, from}} {
			pipes.Go(func() {
				_, _ = io.Copy(way[0], way[1]) // until one end closes
				_ = way[0].Close()
				_ = way[1].Close()
			})
		}
	}
}

// connect connects to the server of the moment, nil if there is none.
func (r *relay) connect(from net.Conn) net.Conn {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.to == "" {
		return nil
	}
	to, err := net.Dial("tcp", r.to) // of the loopback
	if err != nil {
		return nil
	}
	r.conns = append(r.conns, from, to)
	return to
}

// lead makes new connections lead to an address.
func (r *relay) lead(to string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.to = to
}

// cut closes all connections, and lets new ones lead to an address.
func (r *relay) cut(to string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.to = to
	for _, c := range r.conns {
		_ = c.Close() // it may be closed
	}
	r.conns = nil
}

package valkeystore_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/internal/storetest"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !is(); time.Sleep(20 * time.Millisecond) { // another program decides
		if time.Now().After(deadline) {
			t.Fatalf("not in 20 s: %s", what)
		}
	}
}

func TestContractOnACluster(t *testing.T) {
	server := valkeytest.StartCluster(t)
	admin := plain(t, server.Addr)
	storetest.RunOnCluster(t, func(t *testing.T, clock *storetest.Clock) (ruleset.Store, func() ruleset.Store) {
		if err := admin.FlushAll(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		again := func() ruleset.Store { return open(t, "valkey+cluster://"+server.Addr, clock.Now) }
		return again(), again
	})
}

// startSentinel starts a sentinel that watches over the master, called main.
func startSentinel(t *testing.T, master string) (addr string) {
	t.Helper()
	_, port, _ := net.SplitHostPort(master)
	file := filepath.Join(t.TempDir(), "sentinel.conf")
	text := "sentinel monitor main 127.0.0.1 " + port + " 1\nsentinel down-after-milliseconds main 500\nsentinel failover-timeout main 5000\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	addr = valkeytest.FreeAddr(t)
	_, port, _ = net.SplitHostPort(addr)
	cmd := exec.Command("redis-server", file, "--sentinel", "--port", port, "--bind", "127.0.0.1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it runs for ever
		_ = cmd.Wait()         // killed
	})
	sentinel := plain(t, addr)
	eventually(t, "the sentinel answers", func() bool { return sentinel.Ping(t.Context()).Err() == nil })
	return addr
}

func TestContractBehindASentinel(t *testing.T) {
	sentinel := startSentinel(t, valkeytest.Start(t, "--databases", "64").Addr)
	db := 0
	storetest.Run(t, func(t *testing.T, clock *storetest.Clock) (ruleset.Store, func() ruleset.Store) {
		url := fmt.Sprintf("valkey+sentinel://%s/%d?master_name=main", sentinel, db)
		db++ // a new, empty one
		again := func() ruleset.Store { return open(t, url, clock.Now) }
		return again(), again
	})
}

// When the master dies, its replica takes over and has what was acknowledged.
func TestReplicaTakesOver(t *testing.T) {
	master := valkeytest.Start(t)
	host, port, _ := net.SplitHostPort(master.Addr)
	replica := plain(t, valkeytest.Start(t, "--replicaof", host+" "+port).Addr)
	eventually(t, "the replica follows", func() bool {
		return strings.Contains(replica.Info(t.Context(), "replication").Val(), "master_link_status:up")
	})
	sentinel := startSentinel(t, master.Addr)
	known := plain(t, sentinel)
	eventually(t, "the sentinel knows the replica", func() bool {
		return strings.Contains(known.Info(t.Context(), "sentinel").Val(), "slaves=1")
	})
	s := open(t, "valkey+sentinel://"+sentinel+"?master_name=main", atNoon)
	if _, err := s.Create(t.Context(), ruleset.Draft{Name: "before"}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the replica has it", func() bool { return replica.Exists(t.Context(), "ruleset:before").Val() == 1 })
	master.Stop()
	eventually(t, "the store works again", func() bool {
		_, err := s.Create(t.Context(), ruleset.Draft{Name: "after"})
		_, taken := errors.AsType[*ruleset.ExistsError](err) // an earlier try, whose answer was lost
		return err == nil || taken
	})
	if got := fmt.Sprint(listed(t, s, ruleset.Page{})); got != "[after before]" {
		t.Errorf("lists %s, want [after before]", got)
	}
}

// A proxy stands before a server. Once it is told to, it cuts the connection on
// which the server's next answer comes.
type proxy struct {
	addr, server string
	cut          atomic.Bool
}

func startProxy(t *testing.T, listen, server string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", listen)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() }) // nothing to lose
	p := &proxy{addr: listen, server: server}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go p.pass(client)
		}
	}()
	return p
}

func (p *proxy) pass(client net.Conn) {
	defer func() { _ = client.Close() }() // nothing to lose
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }() // nothing to lose
	go func() { _, _ = io.Copy(server, client) }()
	answer := make([]byte, 64<<10)
	for {
		n, err := server.Read(answer)
		if err != nil || p.cut.CompareAndSwap(true, false) {
			return
		}
		if _, err := client.Write(answer[:n]); err != nil {
			return
		}
	}
}

// A creation whose answer is lost must not be sent again: it would be told that
// its own name is taken.
func TestLostAnswerIsNotAskedForAgain(t *testing.T) {
	for _, scheme := range []string{"valkey", "valkey+cluster"} {
		t.Run(scheme, func(t *testing.T) {
			front := valkeytest.FreeAddr(t)
			var server *valkeytest.Server
			if scheme == "valkey" {
				server = valkeytest.Start(t)
			} else {
				_, port, _ := net.SplitHostPort(front)
				server = valkeytest.StartCluster(t, "--cluster-announce-ip", "127.0.0.1", "--cluster-announce-port", port)
			}
			p := startProxy(t, front, server.Addr)
			s := open(t, scheme+"://"+p.addr, atNoon)
			if _, err := s.Create(t.Context(), ruleset.Draft{Name: "first"}); err != nil { // the server knows the script
				t.Fatal(err)
			}
			p.cut.Store(true)
			_, err := s.Create(t.Context(), ruleset.Draft{Name: "a"})
			if _, away := errors.AsType[*ruleset.UnavailableError](err); !away {
				t.Errorf("Create: %v, want that the store was away", err)
			}
			if _, err := s.Get(t.Context(), "a"); err != nil {
				t.Errorf("Get: %v, want what was created", err)
			}
		})
	}
}

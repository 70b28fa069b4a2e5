package valkeystore_test

import (
	"errors"
	"fmt"
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
	if _, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "before"}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the replica has it", func() bool { return replica.Exists(t.Context(), "ruleset:before").Val() == 1 })
	master.Stop()
	eventually(t, "the store works again", func() bool {
		_, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "after"})
		_, taken := errors.AsType[*ruleset.ExistsError](err) // an earlier try, whose answer was lost
		return err == nil || taken
	})
	if got := fmt.Sprint(listed(t, s, ruleset.Page{})); got != "[after before]" {
		t.Errorf("lists %s, want [after before]", got)
	}
}

// A proxy stands before a server. When it has a word, it passes the next request that
// contains it, and cuts the connection when the answer comes.
type proxy struct {
	addr, server string
	word         atomic.Pointer[string]
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
	var cut atomic.Bool
	go func() {
		pipe(server, client, func(request []byte) bool {
			if word := p.word.Load(); word != nil && strings.Contains(strings.ToLower(string(request)), *word) {
				cut.Store(p.word.CompareAndSwap(word, nil))
			}
			return true
		})
	}()
	pipe(client, server, func([]byte) bool { return !cut.Load() })
}

// pipe copies what may pass, until something may not.
func pipe(to, from net.Conn, may func(data []byte) bool) {
	data := make([]byte, 64<<10)
	for {
		n, err := from.Read(data)
		if err != nil || !may(data[:n]) {
			return
		}
		if _, err := to.Write(data[:n]); err != nil {
			return
		}
	}
}

// lose has the answer of the next request with a word lost.
func (p *proxy) lose(word string) { p.word.Store(&word) }

// A change whose answer is lost is made once, and its caller learns what it made: a creation
// does not find its own name taken, and an update is no conflict with itself.
func TestChangesWhoseAnswerIsLost(t *testing.T) {
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
			changesWithLostAnswers(t, p, open(t, scheme+"://"+p.addr, atNoon))
		})
	}
}

func changesWithLostAnswers(t *testing.T, p *proxy, s ruleset.Store) {
	ctx := t.Context()
	update := func(text string, patch ruleset.Patch) (int, error) {
		patch.Markdown = &text
		r, err := ruleset.Update(ctx, s, "a", patch)
		if err == nil && r.Markdown != text {
			t.Errorf("updated to %q, want %q", r.Markdown, text)
		}
		return r.Rev, err
	}
	move := ruleset.LabelMove{Label: "production", Newest: true}
	batch := func() (int, error) {
		text := "batch"
		outcomes, err := s.Apply(ctx, []ruleset.Operation{{Name: "a", Update: &ruleset.Patch{Markdown: &text, IfRev: 3}}, {Name: "a", Move: &move}}, ruleset.ApplyOptions{})
		if err != nil {
			return 0, err
		}
		return outcomes[0].Rev, nil
	}
	for _, step := range []struct {
		name, word string
		want       int // the newest revision after it
		do         func() (rev int, err error)
	}{
		{"create", "eval", 1, func() (int, error) { r, err := ruleset.Create(ctx, s, ruleset.Draft{Name: "a"}); return r.Rev, err }},
		{"update at a revision", "eval", 2, func() (int, error) { return update("two", ruleset.Patch{IfRev: 1}) }},
		{"update", "eval", 3, func() (int, error) { return update("three", ruleset.Patch{}) }},
		{"batch", "exec", 4, batch},
		{"files", "exec", 5, func() (int, error) {
			return update("five", ruleset.Patch{Files: []ruleset.FileChange{{Path: "f", Data: []byte("x")}}})
		}},
		{"move", "l:a:production", 5, func() (int, error) { _, err := ruleset.MoveLabel(ctx, s, "a", move); return 5, err }},
		{"delete", "eval", 6, func() (int, error) { return 6, ruleset.Delete(ctx, s, "a", ruleset.Removal{IfRev: 5}) }},
	} {
		p.lose(step.word)
		rev, err := step.do()
		if err != nil || rev != step.want {
			t.Errorf("%s: revision %d, %v, want %d", step.name, rev, err, step.want)
		}
		if p.word.Load() != nil {
			t.Errorf("%s: no answer was lost", step.name)
		}
	}
	history, err := s.History(ctx, "a")
	if err != nil || len(history) != 6 || !history[0].Deleted {
		t.Errorf("the history is %+v, %v", history, err)
	}
	if moves, err := s.LabelMoves(ctx, "a"); err != nil || len(moves) != 2 || moves[0].To != 5 || moves[1].To != 4 {
		t.Errorf("the moves are %+v, %v", moves, err)
	}
}

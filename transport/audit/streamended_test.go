package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
	"github.com/triptych-mcp/triptych/transport/audit/internal/keyfile"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// Neighbours are servers with one signing key on one store, and a clock of the test. Each
// record is signed when it is committed: the time of a head that a timer signs would depend on
// how fast the machine is.
type neighbours struct {
	*kept
	logged bytes.Buffer
}

func newNeighbours(t *testing.T, client redis.UniversalClient) *neighbours {
	t.Helper()
	n := &neighbours{kept: newKept(t, client, ValkeyConfig{KeepFor: 100 * time.Second, Always: true})}
	n.cfg.Logger = slog.New(slog.NewTextHandler(&n.logged, nil))
	return n
}

// idle opens the log of the server that adds nothing for long.
func (n *neighbours) idle(records int) *Log {
	n.t.Helper()
	n.cfg.Name = "idle"
	l := n.open(1 << 20)
	l.idleSign = 0
	n.add(l, "idle", records)
	return l
}

// busy lets another server work for five minutes, which deletes what is older than 100 s.
func (n *neighbours) busy() {
	n.t.Helper()
	n.cfg.Name = "busy"
	l := n.open(1 << 20)
	n.add(l, "busy", 300)
	n.close(l)
}

func (n *neighbours) close(l *Log) {
	n.t.Helper()
	if err := l.Close(); err != nil {
		n.t.Fatal(err)
	}
}

// forget ends the marks of all servers, as the clock of the store does after 100 s.
func (n *neighbours) forget() {
	n.t.Helper()
	for _, name := range []string{"idle", "busy"} {
		if err := n.cfg.Client.Del(n.t.Context(), streamNames{}.alive(n.chain(name))).Err(); err != nil {
			n.t.Fatal(err)
		}
	}
}

// chain returns the id of a server's chain.
func (n *neighbours) chain(name string) string {
	n.t.Helper()
	key, err := keyfile.Load(n.cfg.KeyDir)
	if err != nil {
		n.t.Fatal(err)
	}
	return (&valkeyBackend{name: name}).chainID((&signer{key: key}).public())
}

// report verifies the trail, which must be whole, and returns the report of the idle server.
func (n *neighbours) report() *ChainReport {
	n.t.Helper()
	r, err := NewValkey(n.cfg).Verify(n.t.Context())
	if err != nil || r.Err() != nil {
		n.t.Fatalf("%v, %v, want a whole trail", err, r.Err())
	}
	for i := range r.Chains {
		if r.Chains[i].Chain == n.chain("idle") {
			return &r.Chains[i]
		}
	}
	return nil
}

// The chain of a server that runs and adds nothing for longer than records stay is not
// deleted by others.
func TestChainOfAnIdleServerStays(t *testing.T) {
	t.Parallel() // it waits
	onStores(t, func(t *testing.T, client redis.UniversalClient) {
		n := newNeighbours(t, client)
		l := n.idle(3)
		n.busy()
		n.add(l, "idle", 1)
		n.close(l)
		if r := n.report(); r == nil || r.Records != 4 || r.Last != 4 || r.Lost != 0 || r.Retired != 0 {
			t.Errorf("%+v, want 4 records", r)
		}
	})
}

// A server that was suspended for longer than records stay goes on behind what was deleted
// of its chain by policy: nothing of it is called lost. The same holds for one that starts
// again.
func TestChainGoesOnBehindWhatWasDeleted(t *testing.T) {
	sample.Alone(t)
	t.Parallel() // it waits
	for name, test := range map[string]struct {
		records int
		restart bool
		recent  bool // the lines are in the memory of the server
	}{
		"in memory":      {3, false, true},
		"not in memory":  {30, false, false},
		"started again":  {3, true, false},
		"without a line": {0, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			onStores(t, func(t *testing.T, client redis.UniversalClient) {
				n := newNeighbours(t, client)
				l := n.idle(test.records)
				if err := l.Open(); err != nil {
					t.Fatal(err)
				}
				if test.restart {
					n.close(l)
				}
				n.forget()
				n.busy()
				if r := n.report(); r != nil {
					t.Fatalf("the chain of the server that is gone stays: %+v", r)
				}
				switch {
				case test.restart:
					l = n.idle(0)
				case !test.recent:
					forgetLines(l)
				}
				n.add(l, "idle", 2)
				n.close(l)
				want := uint64(test.records)
				if r := n.report(); r == nil || r.Records != 2 || r.Last != want+2 || r.Lost != 0 || r.Retired != want {
					t.Errorf("%+v, want 2 records after %d that were deleted by policy", r, want)
				}
				if bytes.Contains(n.logged.Bytes(), []byte("lost")) {
					t.Errorf("the log speaks of a loss: %s", n.logged.String())
				}
			})
		})
	}
}

// A chain that was deleted by others than the policy is called lost, also with a statement
// that the signing key has not signed, or of another end.
func TestForgedStatementOfADeletedChain(t *testing.T) {
	for name, forge := range map[string]func(e *endedNote, w *streamWriter){
		"no signature": func(e *endedNote, _ *streamWriter) { e.Signature = "00" },
		"changed":      func(e *endedNote, _ *streamWriter) { e.Seq-- },
		"another end":  func(_ *endedNote, w *streamWriter) { w.lines++ },
	} {
		t.Run(name, func(t *testing.T) {
			client := valkeytest.Client(t, "redis://"+valkeytest.Start(t).Addr)
			n := newNeighbours(t, client)
			l := n.idle(3)
			w := l.medium.(*streamWriter)
			e, err := w.endOf(t.Context(), w.id, indexState{}, n.now.Add(time.Hour))
			if err != nil {
				t.Fatal(err)
			}
			forge(e, w)
			text, err := json.Marshal(e)
			if err == nil {
				err = client.Set(t.Context(), w.names.ended(w.id), text, 0).Err()
			}
			if err == nil {
				err = client.Del(t.Context(), w.stream()).Err()
			}
			if err != nil {
				t.Fatal(err)
			}
			forgetLines(l)
			n.add(l, "idle", 2)
			n.close(l)
			if r := n.report(); r == nil || r.Lost != 3 || r.Records != 2 {
				t.Errorf("%+v, want that 3 records are lost", r)
			}
		})
	}
}

// A chain to which its server adds again is not deleted by one that has found it ended just
// before.
func TestChainOfAServerThatIsBackStays(t *testing.T) {
	onStores(t, func(t *testing.T, client redis.UniversalClient) {
		n := newNeighbours(t, client)
		l := n.idle(3)
		n.close(l)
		w := l.medium.(*streamWriter)
		head := client.HGet(t.Context(), w.names.heads(), w.id).Val()
		n.forget()
		n.cfg.Always = false
		l = n.idle(0)
		n.pass(time.Hour)
		seq, err := l.Append(Record{Key: "idle"})
		if err == nil {
			err = l.Write(t.Context(), seq) // it is not signed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, marked := range []bool{true, false} {
			if !marked {
				n.forget()
			}
			if dropped, err := w.dropChain(t.Context(), w.id, head, n.now); err != nil || dropped {
				t.Fatalf("dropped %v, %v", dropped, err)
			}
		}
		n.add(l, "idle", 1)
		n.close(l)
		if r := n.report(); r == nil || r.Records != 5 || r.Lost+r.Retired != 0 {
			t.Errorf("%+v, want 5 records", r)
		}
	})
}

// A chain that was deleted by policy is not missed where another one names it, as chains of
// files do that were moved to a store. Without the signed statement it is.
func TestDeletedChainThatAnotherNames(t *testing.T) {
	client := valkeytest.Client(t, "redis://"+valkeytest.Start(t).Addr)
	n := newNeighbours(t, client)
	n.close(n.idle(3))
	n.forget()
	n.busy()
	l := n.open(1 << 20)
	n.add(l, "busy", 1)
	l.medium.(*streamWriter).notes = []note{{Chains: &chainsNote{IDs: []string{n.chain("idle")}}}}
	n.add(l, "busy", 1)
	n.close(l)
	if r := n.report(); r != nil {
		t.Errorf("%+v, want that the chain is deleted", r)
	}
	if err := client.Del(t.Context(), streamNames{}.ended(n.chain("idle"))).Err(); err != nil {
		t.Fatal(err)
	}
	r, err := NewValkey(n.cfg).Verify(t.Context())
	if err != nil || r.Err() == nil || !strings.Contains(r.Err().Error(), "it is gone") {
		t.Errorf("%v, %v, want that the chain is missed", err, r.Err())
	}
}

// A failing is a hook that lets commands of a client fail.
type failing func(ctx context.Context, cmd redis.Cmder, run redis.ProcessHook) error

func (f failing) DialHook(next redis.DialHook) redis.DialHook { return next }
func (f failing) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error { return f(ctx, cmd, next) }
}
func (f failing) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// A chain whose deletion fails is listed as long as it has lines: also when its deletion was not
// reached in time, or done and its answer lost, and when it cannot be listed again at once.
func TestDeletionOfAChainThatFails(t *testing.T) {
	for name, test := range map[string]struct {
		done     bool // before the answer was lost
		putsBack bool // at once
	}{
		"not reached":         {false, true},
		"the store goes down": {false, false},
		"answer lost":         {true, true},
	} {
		t.Run(name, func(t *testing.T) {
			client := valkeytest.Client(t, "redis://"+valkeytest.Start(t).Addr)
			n := newNeighbours(t, client)
			l := n.idle(3)
			n.close(l)
			n.forget()
			n.pass(time.Hour)
			n.cfg.Name = "busy"
			busy := n.open(1 << 20)
			n.add(busy, "busy", 1)
			w := *busy.medium.(*streamWriter)
			ctx, late := context.WithCancel(t.Context())
			defer late()
			broken := true
			proxy := valkeytest.Client(t, "redis://"+client.Options().Addr)
			proxy.AddHook(failing(func(ctx context.Context, cmd redis.Cmder, run redis.ProcessHook) error {
				drops := len(cmd.Args()) > 1 && (cmd.Args()[1] == dropStream.Hash() || cmd.Args()[1] == dropStreamScript)
				if !broken || !drops && (test.putsBack || cmd.Name() != "hsetnx") {
					return run(ctx, cmd)
				}
				if test.done {
					if err := run(ctx, cmd); err != nil {
						return err // the server does not know the script yet
					}
				}
				late()
				cmd.SetErr(context.DeadlineExceeded)
				return context.DeadlineExceeded
			}))
			w.client = proxy
			chain := n.chain("idle")
			head := client.HGet(t.Context(), w.names.heads(), chain).Val()
			if dropped, err := w.dropChain(ctx, chain, head, n.now); err == nil || dropped {
				t.Fatalf("dropped %v, %v, want that it fails", dropped, err)
			}
			broken = false
			if heads, err := w.headsThere(); err != nil || (heads[chain] == head) == test.done {
				t.Fatalf("the heads are %v, %v", heads, err)
			}
			if r := n.report(); (r == nil) != test.done {
				t.Errorf("%+v", r)
			}
			// As if the store had deleted the chain after it was listed again.
			if err := client.HSet(t.Context(), w.names.heads(), chain, head).Err(); err != nil {
				t.Fatal(err)
			}
			if dropped, err := w.dropChain(t.Context(), chain, head, n.now); err != nil || !dropped {
				t.Fatalf("dropped %v, %v", dropped, err)
			}
			l = n.idle(2)
			n.close(l)
			n.close(busy)
			if r := n.report(); r == nil || r.Records != 2 || r.Retired != 3 || r.Lost != 0 {
				t.Errorf("%+v, want 2 records after 3 that were deleted by policy", r)
			}
		})
	}
}

// A server that adds nothing signs its head again and renews its mark.
func TestIdleServerSigns(t *testing.T) {
	t.Parallel() // it waits
	client := valkeytest.Client(t, "redis://"+valkeytest.Start(t).Addr)
	l := NewValkey(ValkeyConfig{Client: client, KeyDir: filepath.Join(t.TempDir(), "audit"), Name: "one", KeepFor: 4 * time.Second})
	committed(t, l, 1)
	id := l.medium.(*streamWriter).id
	head := func() string { return client.HGet(t.Context(), headsKey, id).Val() }
	first, end := head(), time.Now().Add(time.Minute)
	for range 2 { // the first may be that of the record
		for first == head() {
			if time.Now().After(end) {
				t.Fatal("the head is not signed again")
			}
			time.Sleep(20 * time.Millisecond)
		}
		first = head()
	}
	if ttl := client.PTTL(context.WithoutCancel(t.Context()), streamNames{}.alive(id)).Val(); ttl <= 0 {
		t.Errorf("the mark lasts for %v", ttl)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if r, err := l.Verify(t.Context()); err != nil || r.Err() != nil || r.Records() != 1 {
		t.Error(fmt.Sprint(r.Records(), r.Err(), err))
	}
}

package valkeystore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
	"github.com/triptych-mcp/triptych/rulesets/internal/storetest"
	"github.com/triptych-mcp/triptych/rulesets/internal/valkeystore"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

const (
	contenders   = 24 // processes
	contested    = 100
	contenderURL = "VALKEYSTORE_TEST_CONTEND"
)

// TestMain lets the test binary be one of the contenders, or a process of package
// storetest.
func TestMain(m *testing.M) {
	if url := os.Getenv(contenderURL); url != "" {
		if err := contend(url); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	isChild, err := storetest.RunChild(func(url string) (ruleset.Store, error) {
		return valkeystore.Open(context.Background(), url, "", quiet, time.Now)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if !isChild {
		os.Exit(m.Run())
	}
}

// contend creates all names and prints those that it won.
func contend(url string) error {
	s, err := valkeystore.Open(context.Background(), url, "", quiet, time.Now)
	if err != nil {
		return err
	}
	for i := range contested {
		name := ruleset.Name(fmt.Sprintf("n%d", i))
		_, err := ruleset.Create(context.Background(), s, ruleset.Draft{Name: name, Markdown: fmt.Sprint(os.Getpid())})
		if err == nil {
			fmt.Println(name, os.Getpid())
		} else if _, exists := errors.AsType[*ruleset.ExistsError](err); !exists {
			return errors.Join(err, s.Close())
		}
	}
	return s.Close()
}

// TestManyProcessesCreateTheSameNames has each name won once, and by the one
// whose text is kept.
func TestManyProcessesCreateTheSameNames(t *testing.T) {
	server := valkeytest.Start(t)
	url := "valkey://" + server.Addr
	outs := make([]bytes.Buffer, contenders)
	var wg sync.WaitGroup
	for i := range contenders {
		wg.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), contenderURL+"="+url)
			cmd.Stdout, cmd.Stderr = &outs[i], os.Stderr
			if err := cmd.Run(); err != nil {
				t.Errorf("contender %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	winner := map[string]string{}
	for i := range outs {
		for line := range strings.Lines(outs[i].String()) {
			name, pid, _ := strings.Cut(strings.TrimSpace(line), " ")
			if winner[name] != "" {
				t.Errorf("%s was won twice", name)
			}
			winner[name] = pid
		}
	}
	s := open(t, url, time.Now)
	for i := range contested {
		name := fmt.Sprintf("n%d", i)
		r, err := s.Get(t.Context(), ruleset.Name(name))
		if err != nil || r.Markdown != winner[name] {
			t.Errorf("%s was won by %q, and holds %q, %v", name, winner[name], r.Markdown, err)
		}
	}
	if got := listed(t, s, ruleset.Page{}); len(got) != contested {
		t.Errorf("%d are listed, want %d", len(got), contested)
	}
}

func TestProcessesThatChangeOneRuleset(t *testing.T) {
	url := "valkey://" + valkeytest.Start(t).Addr
	storetest.Contend(t, url, open(t, url, time.Now))
}

// A process that is killed while it applies batches, with the server killed and started
// again, leaves each batch whole or nothing of it.
func TestKilledWhileApplying(t *testing.T) {
	server := valkeytest.Start(t, "--appendonly", "yes", "--appendfsync", "always")
	url := "valkey://" + server.Addr
	kills := 0
	restart := func() {
		if kills++; kills%3 == 0 {
			server.Stop()
			server.Run()
			return
		}
		awaitClients(t, server.Addr)
	}
	storetest.KillApplying(t, sample.Count(6, 40), url, restart, func() ruleset.Store { return open(t, url, time.Now) })
}

// awaitClients waits until a server has noticed that its clients have gone. Until then
// it may still do what a killed process has asked for last, between two reads of a test.
func awaitClients(t *testing.T, addr string) {
	t.Helper()
	client := plain(t, addr)
	eventually(t, "the server has one client", func() bool {
		list, err := client.ClientList(t.Context()).Result()
		return err == nil && strings.Count(list, "\n") == 1
	})
	_ = client.Close() // it is one of them
}

// The server is killed while a process applies batches, and started again.
func TestServerKilledWhileApplying(t *testing.T) {
	server := valkeytest.Start(t, "--appendonly", "yes", "--appendfsync", "always")
	url := "valkey://" + server.Addr
	storetest.KillServerApplying(t, sample.Count(3, 20), open(t, url, time.Now), server.Stop, func() { server.Run() })
}

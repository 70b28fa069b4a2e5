//go:build unix

package scale_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/conformance/internal/sdk"
)

// sdkClients are the clients that a soak starts, with their parameters.
var sdkClients = []struct {
	name string
	run  map[string]any
}{
	{"typescript1", map[string]any{"sdk": 1}},
	{"typescript2 legacy", map[string]any{"sdk": 2, "mode": "legacy"}},
	{"typescript2 modern", map[string]any{"sdk": 2, "mode": "auto"}},
	{"go 2025-11-25", map[string]any{"revision": "2025-11-25"}},
	{"go", map[string]any{}},
}

// startClients starts a client of each kind, which runs until ctx is done. It returns
// before they are connected.
func (s *soak) startClients(ctx context.Context, key string, calling *sync.WaitGroup) {
	node, golang, folder := "", "", s.t.TempDir()
	s.t.Run("install the SDKs", func(t *testing.T) { // where they cannot be had, this is skipped and no more
		sdk.InstallNode(t, "../interop/node")
		node = "../interop/node/soak.mjs"
	})
	s.t.Run("build the Go SDK", func(t *testing.T) {
		golang = filepath.Join(folder, "gosoak")
		built := sdk.BuildGo(t, "../bench/peers/gosoak")
		if out, err := exec.CommandContext(t.Context(), "cp", built, golang).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	})
	for i, client := range sdkClients {
		command := []string{"node", "--no-warnings", node}
		if client.run["sdk"] == nil {
			command = []string{golang}
		}
		if command[len(command)-1] == "" {
			continue
		}
		parameters := map[string]any{"url": s.url, "key": key, "prefix": "sdk" + string(rune('a'+i))}
		for name, value := range client.run {
			parameters[name] = value
		}
		text, err := json.Marshal(parameters)
		if err != nil {
			s.t.Fatal(err)
		}
		calling.Go(func() { s.runClient(ctx, client.name, append(command, string(text))) })
	}
}

// A line is the output of a client of an SDK about one call.
type line struct {
	OK        string
	Began, At int64 // Unix milliseconds
	Error     string
}

// runClient runs a client and notes what it prints.
func (s *soak) runClient(ctx context.Context, name string, command []string) {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), command[0], command[1:]...)
	said := &lockedBuffer{}
	cmd.Stderr = said
	in, err := cmd.StdinPipe()
	if err != nil {
		s.t.Error(err)
		return
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		s.t.Error(err)
		return
	}
	kill := context.AfterFunc(ctx, func() {
		_ = in.Close()                                              // it ends
		time.AfterFunc(patience, func() { _ = cmd.Process.Kill() }) // or hangs
	})
	defer kill()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		s.heard(name, lines.Bytes())
	}
	if err := cmd.Wait(); err != nil {
		s.t.Errorf("the client %s ended with %v:\n%s", name, err, said.String())
	}
}

// heard notes a line of a client.
func (s *soak) heard(name string, text []byte) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		s.t.Errorf("the client %s says %q", name, text)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.OK != "" {
		s.created[l.OK] = true
		s.by[name]++
		return
	}
	s.failures = append(s.failures, failure{time.UnixMilli(l.At), time.UnixMilli(l.Began), errors.New(name + ": " + l.Error)})
}

// curl creates rulesets by the program curl, one after the other, until ctx is done.
func (s *soak) curl(ctx context.Context, key string) {
	if _, err := exec.LookPath("curl"); err != nil {
		s.t.Log(err) // the others go on
		return
	}
	for n := 0; ctx.Err() == nil; n++ {
		name := fmt.Sprintf("curl_%d", n)
		began := time.Now()
		out, err := exec.CommandContext(s.t.Context(), "curl", "-sS", "--fail-with-body", "--max-time", "30", s.url,
			"-H", "Authorization: Bearer "+key, "-H", "Content-Type: application/json", "-d",
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_ruleset","arguments":{"name":"`+name+
				`","description":"d","markdown":"c"}}}`).CombinedOutput()
		if err == nil && strings.Contains(string(out), `"result"`) && !strings.Contains(string(out), `"isError":true`) {
			s.mu.Lock()
			s.created[name] = true
			s.by["curl"]++
			s.mu.Unlock()
		} else {
			s.failed(began, fmt.Errorf("curl: %w: %s", err, out))
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// debug launches a program and looks at it, until ctx is done. While it stands stopped,
// no answer says that nothing is attached unless its server has ended.
func (s *soak) debug(ctx context.Context, c *caller) {
	program := sleeper(s.t)
	attached, session := false, ""
	for ctx.Err() == nil {
		tool, arguments := "debugger_registers", map[string]any{}
		if !attached {
			tool, arguments = "debugger_launch", map[string]any{"path": program, "args": []string{"1000"}}
		}
		if session != "" {
			arguments["session"] = session
		}
		began := time.Now()
		err := c.call(s.t.Context(), s.url, tool, arguments)
		switch {
		case err == nil && !attached:
			attached = true
		case err == nil:
			s.mu.Lock()
			s.by["debugger"]++
			s.mu.Unlock()
		case session == "" && strings.Contains(err.Error(), "Several sessions"): // a launch succeeded whose answer was lost
			session = sessionID.FindString(err.Error())
		default:
			s.failed(began, err)
			if strings.Contains(err.Error(), "Not attached") && !strings.Contains(err.Error(), "do not launch it again") {
				attached, session = false, ""
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	if attached {
		_ = c.call(s.t.Context(), s.url, "debugger_detach", map[string]any{"kill": true}) // else its server does
	}
}

// sessionID is the form of the ids of debugger sessions.
var sessionID = regexp.MustCompile(`dbg-[0-9a-f]+`)

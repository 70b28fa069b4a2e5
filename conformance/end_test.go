package conformance

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

// promptly limits the time for an exit; SDKs kill the process after that.
const promptly = 2 * time.Second

// What was sent before the input ended is answered, calls of one family in the
// order in which they came.
func TestEverythingIsAnsweredAtTheEnd(t *testing.T) {
	p := startStdio(t, t.TempDir(), "--families=rulesets")
	const n = 20
	for i := range n {
		line := callLine(2*i, "create_ruleset", fmt.Sprintf(`{"name":"r%d","description":"d","markdown":"m"}`, i))
		if err := p.Send(line + "\n" + callLine(2*i+1, "delete_ruleset", fmt.Sprintf(`{"name":"r%d"}`, i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.CloseInput(); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		want := textResultLine(2*i, fmt.Sprintf("Successfully created ruleset 'r%d'", i))
		if got := receive(t, p); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
		want = textResultLine(2*i+1, fmt.Sprintf("Successfully deleted ruleset 'r%d'", i))
		if got := receive(t, p); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
	if got, err := p.Receive(); !errors.Is(err, mcptest.ErrEnded) {
		t.Errorf("got %s, %v; want the end", got, err)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// An open listen request is cancelled and answered when the input ends. Told to
// stop, the server may go without, but soon and with nothing else to say.
func TestListenEndsWithTheServer(t *testing.T) {
	for name, stop := range map[string]func(p *pipe) error{
		"end of input": func(p *pipe) error { return p.CloseInput() },
		"SIGTERM":      func(p *pipe) error { return p.cmd.Process.Signal(syscall.SIGTERM) },
		"SIGINT":       func(p *pipe) error { return p.cmd.Process.Signal(os.Interrupt) },
	} {
		t.Run(name, func(t *testing.T) {
			p := startStdio(t, t.TempDir(), "--families=aoc")
			got := roundTrip(t, p, `{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"resourcesListChanged":true},`+modernMeta+`}}`)
			want := `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"resourcesListChanged":true},` + subscriptionMeta + `}}}`
			if got != want {
				t.Errorf("got %s\nwant %s", got, want)
			}
			if err := stop(p); err != nil {
				t.Fatal(err)
			}
			checkShutdown(t, p, name == "end of input")
			if err := p.cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A client that closes the input while a process runs has left: the call that
// waits for the process is answered soon, and the program ends. A pipe ends with
// its last message, and wants to know how the process ended.
func TestContinueEndsWithTheInput(t *testing.T) {
	require(t, []string{"ptrace"})
	for _, tc := range []struct {
		name, sleeps string // seconds
		pause        time.Duration
		want         string
		within       time.Duration
	}{
		{"client", "60", 300 * time.Millisecond, "Process is running", promptly},
		{"pipe", "3", 0, "Process exited with status 0", patience},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := startStdio(t, t.TempDir(), "--families=debugger")
			roundTrip(t, p, callLine(1, "debugger/launch", `{"path":"sleep","args":["`+tc.sleeps+`"],"stop_at_entry":true}`))
			if err := p.Send(callLine(2, "debugger/continue", `{"wait_ms":60000}`)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(tc.pause) // the client's
			began := time.Now()
			if err := p.CloseInput(); err != nil {
				t.Fatal(err)
			}
			if got, want := receive(t, p), textResultLine(2, tc.want); got != want {
				t.Errorf("got %s\nwant %s", got, want)
			}
			if err := p.cmd.Wait(); err != nil {
				t.Error(err)
			}
			if took := time.Since(began); took > tc.within {
				t.Errorf("it ended after %v, want within %v", took, tc.within)
			}
		})
	}
}

const subscriptionMeta = `"_meta":{"io.modelcontextprotocol/subscriptionId":"l"`

// checkShutdown receives the remaining messages: a cancellation and a result, each
// at most once.
func checkShutdown(t *testing.T, p *pipe, both bool) {
	t.Helper()
	schema, err := openSchema("2026-07-28")
	if err != nil {
		t.Fatal(err)
	}
	w := newChecker(schema)
	w.Sent(`{"id":"l","method":"subscriptions/listen"}`)
	open := []string{
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"l"}}`,
		`{"jsonrpc":"2.0","id":"l","result":{"resultType":"complete",` + subscriptionMeta + `}}}`,
	}
	began := time.Now()
	line, err := p.Receive()
	for ; err == nil; line, err = p.Receive() {
		if i := slices.Index(open, line); i >= 0 {
			open = slices.Delete(open, i, i+1)
		} else {
			t.Errorf("unexpected message %s", line)
		}
		if err := w.Received(line); err != nil {
			t.Error(err)
		}
	}
	if took := time.Since(began); !errors.Is(err, mcptest.ErrEnded) || took > promptly {
		t.Errorf("after %v: %v, want the end within %v", took, err, promptly)
	}
	if both && len(open) > 0 {
		t.Errorf("it did not send %q", open)
	}
}

// Some clients start a server only to probe it: that must leave no trace, or
// two of them would be in each other's way.
func TestProbeLeavesNothing(t *testing.T) {
	data := t.TempDir()
	for range 2 {
		p := startStdio(t, data)
		roundTrip(t, p, `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{`+modernMeta+`}}`)
		closeTransport(t, p)
	}
	entries, err := os.ReadDir(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		t.Errorf("%s is in the data folder", e.Name())
	}
}

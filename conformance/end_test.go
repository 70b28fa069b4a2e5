package conformance

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

// promptly limits the time for an exit. SDKs kill the process after 2 s; the rest is
// for a machine that is busy.
const promptly = 2*time.Second + 2500*time.Millisecond

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
// waits for the process is answered soon, and the program ends.
func TestContinueEndsWithTheClient(t *testing.T) {
	require(t, []string{"ptrace"})
	p := launchSleep(t, "60")
	waits := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"debugger/continue","arguments":{"wait_ms":60000},"_meta":{"progressToken":1}}}`
	if got := roundTrip(t, p, waits); !strings.Contains(got, "notifications/progress") {
		t.Fatalf("got %s, want progress: the call waits", got)
	}
	began := time.Now()
	if got, want := answerAtEnd(t, p), textResultLine(2, "Process is running"); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if took := time.Since(began); took > promptly {
		t.Errorf("it ended after %v, want within %v", took, promptly)
	}
}

// A pipe ends with its last message, and wants to know how the process ended.
func TestContinueOutlivesAPipe(t *testing.T) {
	require(t, []string{"ptrace"})
	want, got := textResultLine(2, "Process exited with status 0"), ""
	for n := 0; n < 3 && got != want; n++ { // a busy machine may come between the message and the end
		p := launchSleep(t, "3")
		if err := p.Send(callLine(2, "debugger/continue", `{"wait_ms":60000}`)); err != nil {
			t.Fatal(err)
		}
		got = answerAtEnd(t, p)
	}
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// launchSleep starts the program, which launches sleep and stops it at its entry.
func launchSleep(t *testing.T, seconds string) *pipe {
	t.Helper()
	p := startStdio(t, t.TempDir(), "--families=debugger")
	roundTrip(t, p, callLine(1, "debugger/launch", `{"path":"sleep","args":["`+seconds+`"],"stop_at_entry":true}`))
	return p
}

// answerAtEnd closes the input, waits for the end of the program, and returns what it
// still answered.
func answerAtEnd(t *testing.T, p *pipe) string {
	t.Helper()
	if err := p.CloseInput(); err != nil {
		t.Fatal(err)
	}
	got := receive(t, p)
	for strings.Contains(got, "notifications/progress") {
		got = receive(t, p)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Error(err)
	}
	return got
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

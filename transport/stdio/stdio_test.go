package stdio_test

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/stdio"
)

func server(t *testing.T, ended *[]string) *mcp.Server {
	t.Helper()
	s, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, &mcp.Table{
		Family: "shout",
		Tools: []mcp.Tool{{Name: "shout", Doc: "Say it louder", Call: mcp.Typed(
			func(_ context.Context, _ *mcp.Call, in struct {
				Text string `json:"text"`
			},
			) (string, error) {
				return strings.ToUpper(in.Text), nil
			})}},
		EndSession: func(key string) { *ended = append(*ended, key) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestConversationEndsWithItsInput(t *testing.T) {
	var ended []string
	var out bytes.Buffer
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"shout","arguments":{"text":"hey"}}}` + "\r\n" +
		`garbage` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	if err := stdio.Serve(t.Context(), in, &out, server(t, &ended)); err != nil {
		t.Fatal(err)
	}
	answers := strings.SplitAfter(out.String(), "\n")
	slices.Sort(answers) // a handler that the scheduler interrupts for a tick is overtaken
	want := []string{
		"",
		`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"HEY"}]}}` + "\n",
		`{"jsonrpc":"2.0","id":2,"result":{}}` + "\n",
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error","data":{"details":"expected a value at byte 0"}}}` + "\n",
	}
	if !slices.Equal(answers, want) {
		t.Errorf("got %q, want %q", answers, want)
	}
	if len(ended) != 1 {
		t.Errorf("sessions that ended: %q, want one", ended)
	}
}

// A client that closes the input in the middle of a call has left: calls that
// wait for what may never come learn it, and what they answer is written still.
// Calls that do not ask the client go on to their end.
func TestClientLeaves(t *testing.T) {
	const waiting = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","arguments":{}}}` + "\n"
	const working = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"work","arguments":{}}}` + "\n"
	const left, waited, worked = `"id":1,"result":{"content":[{"type":"text","text":"left"}]}`,
		`"id":1,"result":{"content":[{"type":"text","text":"waited"}]}`,
		`"id":2,"result":{"content":[{"type":"text","text":"worked"}]}`
	for _, tc := range []struct {
		name, says string
		pause      time.Duration // before the end of the input
		answers    []string
		want       time.Duration // from the first message to the end
	}{
		{"a call that waits", waiting, time.Second, []string{left}, time.Second},
		{"a call that works", working, time.Second, []string{worked}, 5 * time.Second},
		{"both, in their order", waiting + working, time.Second, []string{left, worked}, 6 * time.Second},
		{"a pipe", waiting + working, 0, []string{waited, worked}, time.Hour + 5*time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				got := say(t, tc.says, tc.pause)
				want := `{"jsonrpc":"2.0",` + strings.Join(tc.answers, "}\n"+`{"jsonrpc":"2.0",`) + "}\n"
				if got != want {
					t.Errorf("got\n%swant\n%s", got, want)
				}
				// The engine's ticks are of less than a millisecond.
				if took := time.Since(began).Round(time.Second); took != tc.want {
					t.Errorf("it took %v, want %v", took, tc.want)
				}
			})
		})
	}
}

// say serves what is said until the input ends after a pause, and returns the
// answers.
func say(t *testing.T, text string, pause time.Duration) string {
	t.Helper()
	server, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, &mcp.Table{Family: "test", Tools: []mcp.Tool{
		{Name: "wait", Doc: "Wait for an hour", Call: mcp.Typed(wait)},
		{Name: "work", Doc: "Work for 5 seconds", Call: mcp.Typed(work)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	in, w := io.Pipe()
	go func() {
		_, _ = io.WriteString(w, text) // the answers tell that it came
		time.Sleep(pause)
		_ = w.Close() // a pipe closes
	}()
	var out bytes.Buffer
	if err := stdio.Serve(t.Context(), in, &out, server); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// wait asks whether the client has left.
func wait(_ context.Context, call *mcp.Call, _ struct{}) (string, error) {
	select {
	case <-call.InputClosed():
		return "left", nil
	case <-time.After(time.Hour):
		return "waited", nil
	}
}

// work does not ask the client.
func work(context.Context, *mcp.Call, struct{}) (string, error) {
	time.Sleep(5 * time.Second)
	return "worked", nil
}

// TestAllocations pins what a call of a tool allocates from the line to the
// answer: what its handler may keep, which are the call, the arguments and their
// text, and a part of sixteen contexts.
func TestAllocations(t *testing.T) {
	const n = 10_000
	in := strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"some text"}}}`+"\n", n)
	s, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, &mcp.Table{Family: "echo", Tools: []mcp.Tool{{
		Name: "echo", Doc: "echoes text", Call: mcp.Typed(echo),
	}}})
	if err != nil {
		t.Fatal(err)
	}
	const most = 3.5
	per := 2 * most
	for tries := 0; per > most && tries < 10; tries++ { // a busy machine takes the processor away in between
		per = testing.AllocsPerRun(3, func() {
			if err := stdio.Serve(t.Context(), strings.NewReader(in), io.Discard, s); err != nil {
				t.Fatal(err)
			}
		}) / n
	}
	if per > most {
		t.Errorf("%.2f allocations a call, want 3 and a sixteenth", per)
	}
}

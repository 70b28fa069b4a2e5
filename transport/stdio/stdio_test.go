package stdio_test

import (
	"bytes"
	"context"
	"io"
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
	want := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"HEY"}]}}
{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}
{"jsonrpc":"2.0","id":2,"result":{}}
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
	if len(ended) != 1 {
		t.Errorf("sessions that ended: %q, want one", ended)
	}
}

// A client that closes the input in the middle of a call has left: calls that
// wait for what may never come learn it, and what they answer is written still.
// Calls that ask nobody go on to their end.
func TestClientLeaves(t *testing.T) {
	waits := func(_ context.Context, call *mcp.Call, _ struct{}) (string, error) {
		select {
		case <-call.Left():
			return "left", nil
		case <-time.After(time.Hour):
			return "waited", nil
		}
	}
	works := func(context.Context, *mcp.Call, struct{}) (string, error) {
		time.Sleep(5 * time.Second)
		return "worked", nil
	}
	const wait = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","arguments":{}}}` + "\n"
	const work = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"work","arguments":{}}}` + "\n"
	for _, tc := range []struct {
		name, says string
		pause      time.Duration // before the end of the input
		answers    []string      // and nothing else
		want       time.Duration // from the first message to the end
	}{
		{"a call that waits", wait, time.Second, []string{`"left"`}, time.Second},
		{"a call that works", work, time.Second, []string{`"worked"`}, 5 * time.Second},
		{"both, in their order", wait + work, time.Second, []string{`"left"`, `"worked"`}, 6 * time.Second},
		{"a pipe", wait + work, 0, []string{`"waited"`, `"worked"`}, time.Hour + 5*time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, &mcp.Table{Family: "test", Tools: []mcp.Tool{
					{Name: "wait", Doc: "Wait", Call: mcp.Typed(waits)},
					{Name: "work", Doc: "Work", Call: mcp.Typed(works)},
				}})
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				in, w := io.Pipe()
				go func() {
					_, _ = io.WriteString(w, tc.says) // whoever reads it says so
					time.Sleep(tc.pause)
					_ = w.Close() // a pipe closes
				}()
				var out bytes.Buffer
				if err := stdio.Serve(t.Context(), in, &out, server); err != nil {
					t.Fatal(err)
				}
				lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
				if len(lines) != len(tc.answers) {
					t.Fatalf("answers %q, want %d", lines, len(tc.answers))
				}
				for i, want := range tc.answers {
					if !strings.Contains(lines[i], want) {
						t.Errorf("answer %s, want one with %s", lines[i], want)
					}
				}
				// The engine's ticks are of less than a millisecond.
				if took := time.Since(began).Round(time.Second); took != tc.want {
					t.Errorf("it took %v, want %v", took, tc.want)
				}
			})
		})
	}
}

// Command gosoak creates and reads rulesets with the client of the Go SDK until its
// standard input ends, and prints a line for each change that was acknowledged and each
// call that failed; see soak.mjs of conformance/interop for their form.
//
//	gosoak '{"url":"http://127.0.0.1:8443/mcp","key":"kdb_…","prefix":"a","revision":""}'
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A run holds the parameters.
type run struct {
	URL      string
	Key      string
	Prefix   string // of the names of rulesets
	Revision string // "" is the newest that the SDK knows
}

func main() {
	var r run
	if len(os.Args) != 2 || json.Unmarshal([]byte(os.Args[1]), &r) != nil {
		fmt.Fprintln(os.Stderr, "gosoak: want one argument, the run as JSON")
		os.Exit(2)
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // until it ends
		stop()
	}()
	r.soak(ctx)
}

// soak calls until ctx is done.
func (r run) soak(ctx context.Context) {
	var session *mcp.ClientSession
	failed := 0 // calls of this session, one after the other
	for n := 0; ctx.Err() == nil; n++ {
		if session == nil {
			attempt(ctx, func() (err error) {
				session, err = r.connect(ctx)
				return err
			})
			continue
		}
		name := fmt.Sprintf("%s_%d", r.Prefix, n)
		if attempt(ctx, func() error {
			return call(ctx, session, "create_ruleset", map[string]any{"name": name, "description": "d", "markdown": "c"})
		}) {
			failed = 0
			report(map[string]any{"ok": name})
			attempt(ctx, func() error { return call(ctx, session, "get_ruleset", map[string]any{"name": name}) })
		} else if failed++; failed == 3 { // as a host that starts anew
			_ = session.Close() // its server may be away
			session, failed = nil, 0
		}
		time.Sleep(30 * time.Millisecond)
	}
}

// connect begins a session.
func (r run) connect(ctx context.Context) (*mcp.ClientSession, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "soak", Version: "1.0.0"}, &mcp.ClientOptions{Logger: slog.New(slog.DiscardHandler)})
	transport := &mcp.StreamableClientTransport{Endpoint: r.URL, HTTPClient: &http.Client{Transport: bearer(r.Key)}}
	return client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: r.Revision})
}

// A bearer is the key that each request shows.
type bearer string

// RoundTrip implements [http.RoundTripper].
func (key bearer) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+string(key))
	return http.DefaultTransport.RoundTrip(req)
}

// call calls a tool; an error of the tool is an error.
func call(ctx context.Context, session *mcp.ClientSession, tool string, arguments map[string]any) error {
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err == nil && result.IsError {
		text, _ := json.Marshal(result.Content) // for people
		err = errors.New(string(text))
	}
	return err
}

// attempt reports an error, unless the client is told to end.
func attempt(ctx context.Context, do func() error) bool {
	began := time.Now()
	err := do()
	if err == nil || ctx.Err() != nil {
		return err == nil
	}
	report(map[string]any{"began": began.UnixMilli(), "at": time.Now().UnixMilli(), "error": err.Error()})
	time.Sleep(50 * time.Millisecond)
	return false
}

// report prints a line.
func report(line map[string]any) {
	_ = json.NewEncoder(os.Stdout).Encode(line) // the test that reads it may have ended
}

package jsonrpc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// Who is silent before the end of the input has left; whose last message comes
// with the end waits for the answers. Either way all is answered.
func TestLeft(t *testing.T) {
	for _, tc := range []struct {
		name   string
		before time.Duration // the message
		after  time.Duration // it, before the end
		want   bool
	}{
		{"a client that leaves while it waits", 0, time.Second, true},
		{"a client that leaves soon", 0, 101 * time.Millisecond, true},
		{"a file", 0, 0, false},
		{"a pipe that takes a moment to close", 0, 50 * time.Millisecond, false},
		{"a pipe whose last message comes late", time.Minute, 0, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { checkLeft(t, tc.before, tc.after, tc.want) })
		})
	}
}

// checkLeft sends one message, which is answered when its handler knows.
func checkLeft(t *testing.T, before, after time.Duration, want bool) {
	t.Helper()
	in, w := io.Pipe()
	var out bytes.Buffer
	conn := jsonrpc.NewConn(in, &out, jsonrpc.Config{})
	wait := func(_ context.Context, _ *jsonrpc.Request, dst []byte) ([]byte, error) {
		select {
		case <-conn.InputClosed():
			return append(dst, "true"...), nil
		case <-time.After(time.Hour):
			return append(dst, "false"...), nil
		}
	}
	go func() {
		time.Sleep(before)
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"method":"wait"}`+"\n") // an answer tells that it came
		time.Sleep(after)
		_ = w.Close() // a pipe closes
	}()
	if err := conn.Serve(t.Context(), jsonrpc.HandlerFunc(wait)); err != nil {
		t.Error(err)
	}
	if want := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":%t}`+"\n", want); out.String() != want {
		t.Errorf("got %s\nwant %s", out.String(), want)
	}
}

// A handler that waits has the time of [jsonrpc.Config.Drain] to answer when the
// connection is shut down, and is told.
func TestLeftByShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, w := io.Pipe()
		defer func() { _ = w.Close() }()
		var out bytes.Buffer
		conn := jsonrpc.NewConn(in, &out, jsonrpc.Config{Drain: 5 * time.Second})
		wait := func(ctx context.Context, _ *jsonrpc.Request, dst []byte) ([]byte, error) {
			select {
			case <-conn.InputClosed():
				return append(dst, "true"...), nil
			case <-ctx.Done():
				return dst, ctx.Err()
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"method":"wait"}`+"\n") // an answer tells that it came
			time.Sleep(time.Minute)
			cancel()
		}()
		if err := conn.Serve(ctx, jsonrpc.HandlerFunc(wait)); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if want := `{"jsonrpc":"2.0","id":1,"result":true}` + "\n"; out.String() != want {
			t.Errorf("got %s\nwant %s", out.String(), want)
		}
	})
}

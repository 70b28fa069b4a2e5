package jsonrpc_test

import (
	"context"
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
			synctest.Test(t, func(t *testing.T) {
				in, w := io.Pipe()
				out := make(writes, 1)
				conn := jsonrpc.NewConn(in, out, jsonrpc.Config{})
				left := make(chan bool, 1)
				served := make(chan error, 1)
				go func() {
					served <- conn.Serve(t.Context(), jsonrpc.HandlerFunc(func(_ context.Context, _ *jsonrpc.Request, dst []byte) ([]byte, error) {
						select {
						case <-conn.Left():
							left <- true
						case <-time.After(time.Hour):
							left <- false
						}
						return append(dst, "1"...), nil
					}))
				}()
				time.Sleep(tc.before)
				if _, err := io.WriteString(w, `{"jsonrpc":"2.0","id":1,"method":"wait"}`+"\n"); err != nil {
					t.Fatal(err)
				}
				time.Sleep(tc.after)
				_ = w.Close() // a pipe closes
				if got := <-left; got != tc.want {
					t.Errorf("left: %v, want %v", got, tc.want)
				}
				if got, want := <-out, `{"jsonrpc":"2.0","id":1,"result":1}`+"\n"; got != want {
					t.Errorf("got %s\nwant %s", got, want)
				}
				if err := <-served; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// writes are what was written, a text for each write.
type writes chan string

func (w writes) Write(p []byte) (int, error) {
	w <- string(p)
	return len(p), nil
}

package jsonrpc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// TestBarrier: no answer leaves before the barrier, one call of it serves many
// answers, and when it fails each answer becomes an error with its id.
func TestBarrier(t *testing.T) {
	const n = 1000
	var in strings.Builder
	for i := range n {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"x","params":{}}`+"\n", i)
	}
	id := regexp.MustCompile(`"id":\d+`)
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"passes", nil, `{"jsonrpc":"2.0","id":"a","result":[7]}`},
		{"fails", jsonrpc.Errorf(-32603, "disk full"), `{"jsonrpc":"2.0","id":"a","error":{"code":-32603,"message":"disk full"}}`},
		{"fails for reasons of its own", errors.New("secret"), `{"jsonrpc":"2.0","id":"a","error":{"code":-32603,"message":"Internal error"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var ran, safe, calls atomic.Int64
			w := writerFunc(func(p []byte) (int, error) {
				if lines := int64(bytes.Count(p, []byte{'\n'})); lines > safe.Load() {
					t.Errorf("%d answers left when %d were safe", lines, safe.Load())
				}
				for line := range strings.Lines(string(p)) {
					if got := id.ReplaceAllString(strings.TrimSuffix(line, "\n"), `"id":"a"`); got != tt.want {
						t.Errorf("got %s\nwant %s", got, tt.want)
					}
				}
				return len(p), nil
			})
			cfg := jsonrpc.Config{Barrier: func() error {
				calls.Add(1)
				safe.Store(ran.Load())
				return tt.err
			}}
			h := jsonrpc.HandlerFunc(func(_ context.Context, _ *jsonrpc.Request, dst []byte) ([]byte, error) {
				ran.Add(1)
				return append(dst, "[7]"...), nil
			})
			if err := jsonrpc.NewConn(strings.NewReader(in.String()), w, cfg).Serve(t.Context(), h); err != nil {
				t.Fatal(err)
			}
			if ran.Load() != n || calls.Load() > n/10 {
				t.Errorf("%d answers took %d calls of the barrier", ran.Load(), calls.Load())
			}
		})
	}
}

// TestBarrierBatch: the answers of a batch are withheld one by one, and what is
// no answer passes.
func TestBarrierBatch(t *testing.T) {
	in := `[{"jsonrpc":"2.0","id":1,"method":"x"},{"jsonrpc":"2.0","id":2,"method":"x"}]`
	var out bytes.Buffer
	conn := jsonrpc.NewConn(strings.NewReader(in), &out, jsonrpc.Config{Barrier: func() error { return io.ErrShortWrite }})
	h := jsonrpc.HandlerFunc(func(ctx context.Context, _ *jsonrpc.Request, dst []byte) ([]byte, error) {
		return append(dst, "[7]"...), conn.Notify(ctx, "note", nil)
	})
	if err := conn.Serve(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	const note = `{"jsonrpc":"2.0","method":"note"}` + "\n"
	if got := strings.ReplaceAll(out.String(), note, ""); strings.Count(out.String(), note) != 2 ||
		strings.Count(got, `"error":{"code":-32603`) != 2 || !strings.HasPrefix(got, `[{"jsonrpc":"2.0","id":`) || strings.Contains(got, "result\"") {
		t.Errorf("got %s", out.String())
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

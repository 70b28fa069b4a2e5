package jsonrpc_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// A handler may keep its context: each request has its own, which has not ended
// before and has ended after, whether it is answered by the reader or beside it.
func TestContextsEndWithTheirRequests(t *testing.T) {
	var mu sync.Mutex
	kept := map[context.Context]<-chan struct{}{} // and the end of one derived from it
	keeper := jsonrpc.HandlerFunc(func(ctx context.Context, req *jsonrpc.Request, dst []byte) ([]byte, error) {
		if req.Method == "slow" {
			time.Sleep(5 * time.Millisecond) // ten ticks
		}
		if err := ctx.Err(); err != nil {
			t.Errorf("request %s: %v before it is handled", req.ID, err)
		}
		derived, cancel := context.WithCancel(ctx)
		t.Cleanup(cancel)
		mu.Lock()
		defer mu.Unlock()
		kept[ctx] = derived.Done()
		return dst, nil
	})
	const n = 50
	var in strings.Builder
	for id := range n {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"quick"}`+"\n", id)
	}
	in.WriteString(`{"jsonrpc":"2.0","id":"last","method":"slow"}` + "\n")
	if err := jsonrpc.NewConn(strings.NewReader(in.String()), io.Discard, jsonrpc.Config{}).Serve(t.Context(), keeper); err != nil {
		t.Fatal(err)
	}
	if len(kept) != n+1 {
		t.Errorf("%d contexts, want %d", len(kept), n+1)
	}
	for ctx, done := range kept {
		if ctx.Err() == nil {
			t.Error("a context has not ended")
		}
		<-done // or the test does not end
	}
}

package jsonrpc_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// deaf is a stream that takes nothing and has no deadlines. It says when
// a writer begins to wait for it.
type deaf struct {
	waiting chan struct{}
	forever chan struct{}
}

func newDeaf(t *testing.T) *deaf {
	d := &deaf{make(chan struct{}, 1), make(chan struct{})}
	t.Cleanup(func() { close(d.forever) })
	return d
}

func (d *deaf) Write([]byte) (int, error) {
	d.waiting <- struct{}{}
	<-d.forever
	return 0, io.ErrClosedPipe
}

// A long handler used to make the monitor write what had gathered. The
// client did not read it, the monitor hung, and Serve waited for the monitor.
func TestAHangingWriteDoesNotHoldServe(t *testing.T) {
	out := newDeaf(t)
	in, inW := io.Pipe()
	defer inW.Close()
	conn := jsonrpc.NewConn(in, out, jsonrpc.Config{Drain: time.Millisecond})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- conn.Serve(ctx, newStation()) }()
	if _, err := io.WriteString(inW, `{"jsonrpc":"2.0","id":1,"method":"echo","params":[]}`+"\n"+
		`{"jsonrpc":"2.0","id":2,"method":"hold"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	<-out.waiting
	stop()
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Serve: %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("Serve hangs")
	}
}

// An answer that the client does not read used to stop the reader, so that a cancellation
// behind it was not heard.
func TestAHangingWriteDoesNotStopReading(t *testing.T) {
	out := newDeaf(t)
	in, inW := io.Pipe()
	conn := jsonrpc.NewConn(in, out, jsonrpc.Config{Drain: time.Millisecond})
	heard := make(chan string, 1)
	go func() {
		_ = conn.Serve(t.Context(), preempting(func(req *jsonrpc.Request) { heard <- req.Method })) // ends with the test
	}()
	if _, err := io.WriteString(inW, `{"jsonrpc":"2.0","id":1,"method":"echo","params":[]}`+"\n"); err != nil {
		t.Fatal(err)
	}
	<-out.waiting
	if _, err := io.WriteString(inW, `{"jsonrpc":"2.0","method":"news"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	if got := <-heard; got != "news" {
		t.Errorf("heard %q", got)
	}
	_ = inW.Close() // a pipe closes
}

type preempting func(*jsonrpc.Request)

func (p preempting) Preempt(req *jsonrpc.Request) bool { p(req); return true }

func (p preempting) Handle(_ context.Context, req *jsonrpc.Request, dst []byte) ([]byte, error) {
	return append(dst, req.Params...), nil
}

// A handler that asked the other side something used to wait for ever when
// input ended: the answer could not come any more, and Serve waited for it.
func TestEndOfInputEndsOpenCalls(t *testing.T) {
	var conn *jsonrpc.Conn
	in, inW := io.Pipe()
	outR, out := io.Pipe()
	conn = jsonrpc.NewConn(in, out, jsonrpc.Config{})
	done := make(chan error, 1)
	go func() {
		done <- conn.Serve(t.Context(), jsonrpc.HandlerFunc(func(ctx context.Context, _ *jsonrpc.Request, dst []byte) ([]byte, error) {
			_, err := conn.Call(ctx, "question", nil)
			if errors.Is(err, jsonrpc.ErrClosed) {
				return append(dst, `"no answer"`...), nil
			}
			return dst, err
		}))
	}()
	l := &line{t: t, in: inW, out: scanner(outR), done: done}
	l.send(`{"jsonrpc":"2.0","id":"a","method":"ask"}`)
	l.expect(`{"jsonrpc":"2.0","id":1,"method":"question"}`)
	_ = inW.Close() // a pipe closes
	l.expect(`{"jsonrpc":"2.0","id":"a","result":"no answer"}`)
	if err := <-done; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// Shutdown cancelled requests only; a notification that ran long went on.
func TestShutdownCancelsNotificationsToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, inW := io.Pipe()
		conn := jsonrpc.NewConn(in, io.Discard, jsonrpc.Config{Drain: time.Second})
		ctx, stop := context.WithCancel(t.Context())
		cancelled := make(chan struct{})
		go func() {
			_ = conn.Serve(ctx, jsonrpc.HandlerFunc(func(ctx context.Context, _ *jsonrpc.Request, dst []byte) ([]byte, error) {
				<-ctx.Done()
				close(cancelled)
				return dst, nil
			})) // the context's error
		}()
		if _, err := io.WriteString(inW, `{"jsonrpc":"2.0","method":"long"}`+"\n"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Millisecond) // handed off
		stop()
		<-cancelled
		_ = inW.Close() // a pipe closes
	})
}

// A handler that appends nothing used to make a line that is no JSON, and one
// that returns nil for a notification a panic.
func TestAHandlerThatAppendsNothing(t *testing.T) {
	nothing := jsonrpc.HandlerFunc(func(context.Context, *jsonrpc.Request, []byte) ([]byte, error) { return nil, nil })
	req := &jsonrpc.Request{ID: jsonrpc.NumberID(1), Method: "x"}
	if got, want := string(jsonrpc.Answer(t.Context(), nothing, req, []byte("> "))), `> {"jsonrpc":"2.0","id":1,"result":null}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := string(jsonrpc.Answer(t.Context(), nothing, &jsonrpc.Request{Method: "x"}, []byte("> "))); got != "> " {
		t.Errorf("got %q for a notification", got)
	}
}

// Answers that had gathered when the context ended used to be dropped.
func TestShutdownWritesWhatWasAnswered(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	in, inW := io.Pipe()
	defer inW.Close()
	var out bytes.Buffer
	conn := jsonrpc.NewConn(in, &out, jsonrpc.Config{Drain: 20 * time.Second})
	last := jsonrpc.HandlerFunc(func(_ context.Context, req *jsonrpc.Request, dst []byte) ([]byte, error) {
		if req.Method == "last" {
			stop()
			time.Sleep(100 * time.Microsecond) // Serve sees it now or while we end
		}
		return append(dst, '1'), nil
	})
	go func() {
		_, _ = io.WriteString(inW, strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"x"}`+"\n", 9)+`{"jsonrpc":"2.0","id":2,"method":"last"}`+"\n") // counted below
	}()
	if err := conn.Serve(ctx, last); !errors.Is(err, context.Canceled) {
		t.Errorf("Serve: %v", err)
	}
	if got := bytes.Count(out.Bytes(), []byte("\n")); got != 10 {
		t.Errorf("%d answers were written, want 10", got)
	}
}

// While handlers got their time to end, the answers they waited for were not
// heard, and the reader went on taking input when Serve had returned.
func TestShutdownStillHearsAnswers(t *testing.T) {
	in, inW := io.Pipe()
	outR, out := io.Pipe()
	conn := jsonrpc.NewConn(in, out, jsonrpc.Config{Drain: 20 * time.Second})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- conn.Serve(ctx, jsonrpc.HandlerFunc(func(ctx context.Context, _ *jsonrpc.Request, dst []byte) ([]byte, error) {
			result, err := conn.Call(ctx, "question", nil)
			return append(dst, result...), err
		}))
	}()
	l := &line{t: t, in: inW, out: scanner(outR), done: done}
	l.send(`{"jsonrpc":"2.0","id":"a","method":"ask"}`)
	l.expect(`{"jsonrpc":"2.0","id":1,"method":"question"}`)
	stop()
	time.Sleep(5 * time.Millisecond) // Serve has begun to end
	l.send(`{"jsonrpc":"2.0","id":1,"result":42}`)
	l.expect(`{"jsonrpc":"2.0","id":"a","result":42}`)
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Serve: %v", err)
	}
	l.send(`{}`) // taken by the reader, which then sees that it is over
	wrote := make(chan struct{})
	go func() {
		_, _ = io.WriteString(inW, "{}\n") // not read until the pipe closes
		close(wrote)
	}()
	select {
	case <-wrote:
		t.Error("input was read after Serve")
	case <-time.After(20 * time.Millisecond):
	}
	_ = in.Close() // a pipe closes
	<-wrote
}

// The refusal of an id that a batch has twice was written by a goroutine that
// was not waited for, so the end of input could overtake the whole batch.
func TestBatchWithAnIDTwiceIsAnsweredBeforeTheEnd(t *testing.T) {
	in := `[{"jsonrpc":"2.0","id":1,"method":"sequence"},{"jsonrpc":"2.0","id":1,"method":"sequence"},{"jsonrpc":"2.0","id":1,"method":"sequence"}]`
	for range 200 {
		got := serve(t, in, jsonrpc.Config{})
		if len(got) != 1 || strings.Count(got[0], `"id":1`) != 3 {
			t.Fatalf("got %q, want one array of three answers", got)
		}
	}
}

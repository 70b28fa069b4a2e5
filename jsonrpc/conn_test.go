package jsonrpc_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// A station answers what the tests need. It has a sequence for each name that
// begins with "sequence".
type station struct {
	hold   chan struct{} // closed to let "hold" go
	held   chan string   // hears of each "hold" that began
	cancel func(jsonrpc.ID) bool

	mu    sync.Mutex
	order []string
}

func newStation() *station {
	return &station{hold: make(chan struct{}), held: make(chan string, 100)}
}

func (s *station) Handle(ctx context.Context, req *jsonrpc.Request, dst []byte) ([]byte, error) {
	switch req.Method {
	case "echo":
		return append(dst, req.Params...), nil
	case "hold", "sequence hold":
		s.held <- req.ID.String()
		select {
		case <-s.hold:
		case <-ctx.Done():
			return dst, ctx.Err()
		}
		s.note(req)
		return append(dst, `"held"`...), nil
	case "sequence":
		s.note(req)
		return append(dst, `"done"`...), nil
	case "shake hands":
		time.Sleep(5 * time.Millisecond) // ten ticks
		return append(dst, `"shaken"`...), nil
	case "panic":
		panic("on purpose")
	case "secret":
		return dst, errors.New("the password is tuesday")
	case "later":
		return dst, jsonrpc.ErrNoAnswer
	}
	return dst, jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "Method not found: %s", req.Method)
}

func (s *station) note(req *jsonrpc.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.order = append(s.order, req.ID.String())
}

func (s *station) Sequence(req *jsonrpc.Request) string {
	if strings.HasPrefix(req.Method, "sequence") {
		return "sequence"
	}
	return ""
}

func (s *station) Preempt(req *jsonrpc.Request) bool {
	if req.Method == "cancel" && s.cancel != nil {
		elements := jsonrpc.Elements(req.Params)
		elements.Next()
		s.cancel(jsonrpc.RawID(elements.Value()))
	}
	return true
}

// serve gives the input to a connection and returns its answers, a line each.
func serve(t *testing.T, input string, cfg jsonrpc.Config) []string {
	t.Helper()
	var out bytes.Buffer
	conn := jsonrpc.NewConn(strings.NewReader(input), &out, cfg)
	if err := conn.Serve(t.Context(), newStation()); err != nil {
		t.Fatalf("Serve: %v", err)
	}
	if out.Len() == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

func TestOneLineOneAnswer(t *testing.T) {
	const version = `{"jsonrpc":"2.0",`
	for _, tc := range []struct{ name, in, want string }{
		{"echo", version + `"id":1,"method":"echo","params":[1]}`, version + `"id":1,"result":[1]}`},
		{"id last and spaces", ` { "params" : {"a":[ ]} , "method":"echo","jsonrpc":"2.0" , "id" : "x" } `, version + `"id":"x","result":{"a":[ ]}}`},
		{"id as sent", version + `"id":1.50e+1,"method":"echo","params":[]}`, version + `"id":1.50e+1,"result":[]}`},
		{"escaped key", version + `"\u0069d":"\u0061","method":"echo","params":[]}`, version + `"id":"\u0061","result":[]}`},
		{"unknown method", version + `"id":2,"method":"nope"}`, version + `"id":2,"error":{"code":-32601,"message":"Method not found: nope"}}`},
		{"notification", version + `"method":"nope"}`, ``},
		{"no JSON", `{"jsonrpc":}`, version + `"id":null,"error":{"code":-32700,"message":"Parse error","data":{"details":"expected a value at byte 11"}}}`},
		{"two values", version + `"id":1,"method":"echo"} 1`, version + `"id":null,"error":{"code":-32700,"message":"Parse error","data":{"details":"expected nothing after the value at byte 41"}}}`},
		{"not UTF-8", version + `"id":1,"method":"` + "\xff" + `"}`, version + `"id":1,"error":{"code":-32700,"message":"Parse error","data":{"details":"expected UTF-8 at byte 34"}}}`},
		{"no version", `{"id":3,"method":"echo"}`, version + `"id":3,"error":{"code":-32600,"message":"Invalid Request","data":{"details":"jsonrpc must be \"2.0\""}}}`},
		{"method no string", version + `"id":3,"method":1}`, version + `"id":3,"error":{"code":-32600,"message":"Invalid Request","data":{"details":"method must be a string"}}}`},
		{"params no structure", version + `"id":3,"method":"echo","params":"x"}`, version + `"id":3,"error":{"code":-32600,"message":"Invalid Request","data":{"details":"params must be an object or an array"}}}`},
		{"params null", version + `"id":3,"method":"echo","params":null}`, version + `"id":3,"result":null}`},
		{"notification with params null", version + `"method":"nope","params":null}`, ``},
		{"byte order mark", "\ufeff" + version + `"id":1,"method":"echo","params":[1]}`, version + `"id":1,"result":[1]}`},
		{"byte order mark alone", "\ufeff", version + `"id":null,"error":{"code":-32700,"message":"Parse error","data":{"details":"expected a value at byte 0"}}}`},
		{"id null", version + `"id":null,"method":"echo"}`, version + `"id":null,"error":{"code":-32600,"message":"Invalid Request","data":{"details":"id must be a string or a number"}}}`},
		{"id twice", version + `"id":1,"\u0069d":2,"method":"echo"}`, version + `"id":null,"error":{"code":-32600,"message":"Invalid Request","data":{"details":"the member id is there twice"}}}`},
		{"method twice", version + `"id":1,"method":"echo","method":"echo"}`, version + `"id":1,"error":{"code":-32600,"message":"Invalid Request","data":{"details":"the member method is there twice"}}}`},
		{"no object", `"x"`, version + `"id":null,"error":{"code":-32600,"message":"Invalid Request","data":{"details":"a message must be an object"}}}`},
		{"empty batch", `[]`, version + `"id":null,"error":{"code":-32600,"message":"Invalid Request","data":{"details":"a batch must have at least one message"}}}`},
		{"panic", version + `"id":4,"method":"panic"}`, version + `"id":4,"error":{"code":-32603,"message":"Internal error"}}`},
		{"secret", version + `"id":4,"method":"secret"}`, version + `"id":4,"error":{"code":-32603,"message":"Internal error"}}`},
		{"no answer now", version + `"id":4,"method":"later"}`, ``},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, end := range []string{"\n", "\r\n", "", "\n\n \r\n"} {
				got := strings.Join(serve(t, tc.in+end, jsonrpc.Config{}), "\n")
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("ending %q (-want +got):\n%s", end, diff)
				}
			}
		})
	}
}

// A handler that takes longer than a tick, as on a busy machine, answers behind the
// refusal of the next line: requests without a sequence have no order.
func TestLongLineCostsOneLine(t *testing.T) {
	line := func(id int, text string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"echo","params":[%s]}`, id, text) + "\n"
	}
	for _, size := range []int{201, 100_000, 1_000_000} {
		long := line(2, `"`+strings.Repeat("x", size)+`"`)
		got := serve(t, line(1, "")+long+line(3, ""), jsonrpc.Config{MaxMessage: 200})
		want := []string{
			`{"jsonrpc":"2.0","id":1,"result":[]}`,
			`{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"Invalid Request","data":{"details":"a message may have 200 bytes at most"}}}`,
			`{"jsonrpc":"2.0","id":3,"result":[]}`,
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("size %d (-want +got):\n%s", size, diff)
		}
	}
}

func TestBatch(t *testing.T) {
	in := `[{"jsonrpc":"2.0","id":1,"method":"sequence"},1,{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":2,"method":"sequence"}]`
	got := serve(t, in, jsonrpc.Config{})
	if len(got) != 1 {
		t.Fatalf("%d lines, want 1: %q", len(got), got)
	}
	var answers []map[string]any
	if err := json.Unmarshal([]byte(got[0]), &answers); err != nil {
		t.Fatal(err)
	}
	if len(answers) != 3 {
		t.Errorf("%d answers, want 3: %s", len(answers), got[0])
	}
	if got := serve(t, `[{"jsonrpc":"2.0","method":"x"}]`, jsonrpc.Config{}); got != nil {
		t.Errorf("a batch of notifications was answered: %q", got)
	}
}

// A line is a connection whose two ends the test holds.
type line struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Scanner
	conn *jsonrpc.Conn
	done chan error
}

func open(t *testing.T, s *station, cfg jsonrpc.Config, as ...jsonrpc.Handler) *line {
	t.Helper()
	var handler jsonrpc.Handler = s
	if len(as) > 0 {
		handler = as[0]
	}
	in, inW := io.Pipe()
	outR, out := io.Pipe()
	l := &line{t: t, in: inW, out: scanner(outR), conn: jsonrpc.NewConn(in, out, cfg), done: make(chan error, 1)}
	s.cancel = l.conn.Cancel
	go func() { l.done <- l.conn.Serve(t.Context(), handler) }()
	return l
}

func (l *line) send(format string, args ...any) {
	l.t.Helper()
	if _, err := fmt.Fprintf(l.in, format+"\n", args...); err != nil {
		l.t.Fatal(err)
	}
}

func (l *line) expect(want string) {
	l.t.Helper()
	if !l.out.Scan() {
		l.t.Fatalf("the line ended, want %s", want)
	}
	if got := l.out.Text(); got != want {
		l.t.Fatalf("got %s, want %s", got, want)
	}
}

func (l *line) end() {
	l.t.Helper()
	_ = l.in.Close() // a pipe closes
	go func() {
		for l.out.Scan() {
			l.t.Logf("also: %s", l.out.Text())
		}
	}()
	if err := <-l.done; err != nil {
		l.t.Errorf("Serve: %v", err)
	}
}

func TestLongHandlerHoldsNobodyUp(t *testing.T) {
	s := newStation()
	l := open(t, s, jsonrpc.Config{})
	l.send(`{"jsonrpc":"2.0","id":1,"method":"hold"}`)
	<-s.held
	l.send(`{"jsonrpc":"2.0","id":2,"method":"echo","params":[]}`)
	l.expect(`{"jsonrpc":"2.0","id":2,"result":[]}`)
	l.send(`{"jsonrpc":"2.0","id":1,"method":"echo","params":[]}`)
	l.expect(`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid Request","data":{"details":"a request with this id is still being answered"}}}`)
	close(s.hold)
	l.expect(`{"jsonrpc":"2.0","id":1,"result":"held"}`)
	l.end()
}

func (s *station) Blocks(req *jsonrpc.Request) bool { return req.Method == "shake hands" }

func TestHandshakeIsAnsweredFirst(t *testing.T) {
	got := serve(t, `{"jsonrpc":"2.0","id":1,"method":"shake hands"}`+"\n"+`{"jsonrpc":"2.0","id":2,"method":"echo","params":[]}`, jsonrpc.Config{})
	want := []string{`{"jsonrpc":"2.0","id":1,"result":"shaken"}`, `{"jsonrpc":"2.0","id":2,"result":[]}`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

func TestLaneKeepsOrder(t *testing.T) {
	s := newStation()
	l := open(t, s, jsonrpc.Config{})
	l.send(`{"jsonrpc":"2.0","id":0,"method":"sequence hold"}`)
	<-s.held
	for i := 1; i <= 50; i++ {
		l.send(`{"jsonrpc":"2.0","id":%d,"method":"sequence"}`, i)
	}
	l.send(`{"jsonrpc":"2.0","id":"free","method":"echo","params":[]}`)
	l.expect(`{"jsonrpc":"2.0","id":"free","result":[]}`)
	close(s.hold)
	l.expect(`{"jsonrpc":"2.0","id":0,"result":"held"}`)
	for i := 1; i <= 50; i++ {
		l.expect(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":"done"}`, i))
	}
	l.end()
	for i, id := range s.order {
		if id != fmt.Sprint(i) {
			t.Fatalf("order %v", s.order)
		}
	}
}

func TestCancellationOvertakes(t *testing.T) {
	s := newStation()
	l := open(t, s, jsonrpc.Config{})
	l.send(`{"jsonrpc":"2.0","id":1,"method":"sequence hold"}`)
	<-s.held
	l.send(`{"jsonrpc":"2.0","id":2,"method":"sequence"}`)
	l.send(`{"jsonrpc":"2.0","id":3,"method":"sequence"}`)
	l.send(`{"jsonrpc":"2.0","method":"cancel","params":[2]}`)
	l.send(`{"jsonrpc":"2.0","method":"cancel","params":[1]}`)
	l.expect(`{"jsonrpc":"2.0","id":3,"result":"done"}`)
	l.end()
}

func TestRunningHandlersAreBounded(t *testing.T) {
	s := newStation()
	l := open(t, s, jsonrpc.Config{MaxRunning: 2, MaxQueued: 3})
	for i := range 5 {
		l.send(`{"jsonrpc":"2.0","id":%d,"method":"hold"}`, i)
	}
	<-s.held
	<-s.held
	select {
	case id := <-s.held:
		t.Errorf("a third handler runs: %s", id)
	case <-time.After(20 * time.Millisecond):
	}
	close(s.hold)
	for range 5 {
		if !l.out.Scan() {
			t.Fatal("an answer is missing")
		}
	}
	l.end()
}

func TestEndOfInputDrains(t *testing.T) {
	s := newStation()
	l := open(t, s, jsonrpc.Config{})
	l.send(`{"jsonrpc":"2.0","id":1,"method":"hold"}`)
	<-s.held
	_ = l.in.Close() // a pipe closes
	close(s.hold)
	l.expect(`{"jsonrpc":"2.0","id":1,"result":"held"}`)
	if err := <-l.done; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

func TestStoppedContextCancelsAfterTheDrain(t *testing.T) {
	s := newStation()
	in, inW := io.Pipe()
	defer inW.Close()
	conn := jsonrpc.NewConn(in, io.Discard, jsonrpc.Config{Drain: 10 * time.Millisecond})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- conn.Serve(ctx, s) }()
	if _, err := io.WriteString(inW, `{"jsonrpc":"2.0","id":1,"method":"hold"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	<-s.held
	stop()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Serve: %v, want the context's error", err)
	}
}

// TestClientThatStopsReading sends requests and never reads an answer: what
// waits stays bounded, and shutdown does not hang.
func TestClientThatStopsReading(t *testing.T) {
	in, inW := io.Pipe()
	_, out := io.Pipe() // the other end is not read
	conn := jsonrpc.NewConn(in, out, jsonrpc.Config{MaxBuffered: 1000, Drain: 10 * time.Millisecond})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- conn.Serve(ctx, newStation()) }()
	wrote := make(chan int, 1)
	go func() {
		n := 0
		for {
			if _, err := io.WriteString(inW, `{"jsonrpc":"2.0","id":1,"method":"echo","params":["`+strings.Repeat("x", 1000)+`"]}`+"\n"); err != nil {
				wrote <- n
				return
			}
			n++
		}
	}()
	time.Sleep(50 * time.Millisecond) // as long as it wants to gather
	stop()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Serve: %v", err)
	}
	_ = in.Close() // lets the writer go
	if n := <-wrote; n > 300 {
		t.Errorf("%d messages of 1 kB were taken though nobody read", n)
	}
}

func TestEveryAnswerComesHoweverTheBytesArrive(t *testing.T) {
	var in strings.Builder
	const n = 3000
	for i := range n {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"echo","params":["%d é \n"]}`+"\n", i, i)
	}
	readers := map[string]func() io.Reader{
		"whole":    func() io.Reader { return strings.NewReader(in.String()) },
		"one byte": func() io.Reader { return iotest.OneByteReader(strings.NewReader(in.String())) },
		"halves":   func() io.Reader { return iotest.HalfReader(strings.NewReader(in.String())) },
		"data+EOF": func() io.Reader { return iotest.DataErrReader(strings.NewReader(in.String())) },
	}
	for name, reader := range readers {
		var out bytes.Buffer
		if err := jsonrpc.NewConn(reader(), &out, jsonrpc.Config{}).Serve(t.Context(), newStation()); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if len(lines) != n {
			t.Fatalf("%s: %d answers, want %d", name, len(lines), n)
		}
		came := map[string]bool{} // one that a handler was slow with is overtaken
		for _, got := range lines {
			came[got] = true
		}
		for i := range n {
			if want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":["%d é \n"]}`, i, i); !came[want] {
				t.Fatalf("%s: the answer to %d is missing", name, i)
			}
		}
	}
}

func TestClientAndServer(t *testing.T) {
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	conn := jsonrpc.NewConn(toServer, fromServer, jsonrpc.Config{})
	heard := make(chan string, 1)
	client := jsonrpc.NewClient(toClient, fromClient, jsonrpc.ClientConfig{
		Notified: func(method string, params json.RawMessage) { heard <- method + " " + string(params) },
		Handler: jsonrpc.HandlerFunc(func(_ context.Context, req *jsonrpc.Request, dst []byte) ([]byte, error) {
			return jsonrpc.AppendString(dst, "client did "+req.Method), nil
		}),
	})
	done := make(chan error, 1)
	go func() {
		done <- conn.Serve(t.Context(), jsonrpc.HandlerFunc(func(ctx context.Context, _ *jsonrpc.Request, dst []byte) ([]byte, error) {
			if err := conn.Notify(ctx, "news", []byte(`["hot"]`)); err != nil {
				return dst, err
			}
			result, err := conn.Call(ctx, "back", nil)
			return append(dst, result...), err
		}))
	}()
	got, err := client.Call(t.Context(), "forth", map[string]int{"a": 1})
	if err != nil || string(got) != `"client did back"` {
		t.Errorf("Call: %s, %v", got, err)
	}
	if got := <-heard; got != `news ["hot"]` {
		t.Errorf("heard %s", got)
	}
	_ = fromClient.Close() // ends the server
	if err := <-done; err != nil {
		t.Errorf("Serve: %v", err)
	}
	_ = fromServer.Close() // ends the client
	client.Close()
	if _, err := client.Call(t.Context(), "late", nil); !errors.Is(err, jsonrpc.ErrClosed) && !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a call on a closed client gives %v", err)
	}
}

func scanner(r io.Reader) *bufio.Scanner {
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<20)
	return s
}

// A call whose context ends is told to whom the configuration names, with the id that the server has.
func TestCanceledCall(t *testing.T) {
	requests, out := io.Pipe()
	in, answers := io.Pipe()
	canceled := make(chan int64, 1)
	client := jsonrpc.NewClient(in, out, jsonrpc.ClientConfig{Canceled: func(id int64) { canceled <- id }})
	ctx, cancel := context.WithCancel(t.Context())
	received := make(chan int64, 1)
	go func() {
		var r struct{ ID int64 }
		_ = json.NewDecoder(requests).Decode(&r) // else the ids differ
		received <- r.ID
		cancel()
	}()
	if _, err := client.Call(ctx, "never", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
	if id, sent := <-canceled, <-received; id != sent {
		t.Errorf("the call %d is canceled, the server has %d", id, sent)
	}
	_, _ = answers.Close(), requests.Close() // a pipe's never fail
	client.Close()
}

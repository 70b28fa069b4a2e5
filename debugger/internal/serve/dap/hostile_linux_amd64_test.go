package dap_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	godap "github.com/google/go-dap"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/dap"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/sessiontest"
)

// Headers and messages that cannot be read end the conversation, without
// waiting for what they promise.
func TestBadHeaders(t *testing.T) {
	for name, text := range map[string]string{
		"not a number":     "Content-Length: ten\r\n\r\n",
		"negative":         "Content-Length: -5\r\n\r\n",
		"too long":         "Content-Length: 4194305\r\n\r\n",
		"far too long":     "Content-Length: 99999999999999999999\r\n\r\n",
		"without a length": "Content-Type: text\r\n\r\n",
		"without a colon":  "hello\r\n\r\n",
		"endless":          "Content-Length: " + strings.Repeat("1", 5000),
		"too many fields":  strings.Repeat("Content-Type: y\r\n", 100),
		"of a web page":    "POST http://127.0.0.1:4711/ HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}",
	} {
		t.Run(name, func(t *testing.T) {
			c := serve(t, sessiontest.NewRegistry(t), nil, session.Owner)
			if err := c.conn.SetWriteDeadline(time.Now().Add(patience)); err != nil {
				t.Fatal(err)
			}
			_, _ = io.WriteString(c.conn, text) // the server may have gone before its end
			select {
			case err := <-c.done:
				if err == nil {
					t.Error("the conversation ends without an error")
				}
			case <-time.After(patience):
				t.Error("the server waits on")
			}
		})
	}
}

// Content-Type is allowed beside Content-Length, both in any case.
func TestHeaders(t *testing.T) {
	c := serve(t, sessiontest.NewRegistry(t), nil, session.Owner)
	content := `{"seq":1,"type":"request","command":"initialize","arguments":{"adapterID":"x"}}`
	if _, err := fmt.Fprintf(c.conn, "content-type: a/b; c=d\r\nCONTENT-LENGTH:%d\r\n\r\n%s", len(content), content); err != nil {
		t.Fatal(err)
	}
	if r := c.await(1); !r.Success {
		t.Errorf("initialize: %+v", r)
	}
	c.seq = 1
	c.end()
}

// What is no request, or none that is known, is answered with an error, and
// the conversation goes on.
func TestBadRequests(t *testing.T) {
	c := serve(t, sessiontest.NewRegistry(t), nil, session.Owner)
	for _, content := range []string{
		`{`, `[]`, `"x"`, `null x`, `{"seq":"1"}`, strings.Repeat("[", 100) + strings.Repeat("]", 100), "\xff\xfe", ``,
		`{"seq":7,"type":"request","command":"initialize","arguments":` + strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 70) + "}",
	} {
		c.write([]byte(content))
		if _, r := c.read(); r == nil || r.Success || r.Message == "" {
			t.Errorf("%.40q: %+v, want an error", content, r)
		}
	}
	for _, content := range []string{`{"seq":1,"type":"response","request_seq":1,"success":true}`, `{"seq":1,"type":"event","event":"stopped"}`, `{}`} {
		c.write([]byte(content)) // is not answered
	}
	for _, command := range []string{"continue", "launch", "threads", "shutdown", ""} {
		if got := c.refused(command, nil); got == "" {
			t.Errorf("%q before initialize is refused without a reason", command)
		}
	}
	c.do("initialize", map[string]any{"adapterID": "x"})
	for _, command := range []string{
		"shutdown", "", "continue", "next", "stepIn", "stepOut", "stepBack", "reverseContinue", "pause", "threads", "stackTrace", "scopes", "variables",
		"setVariable", "setExpression", "evaluate", "source", "modules", "readMemory", "writeMemory", "disassemble", "lastWrite", "callTrace", "seek",
		"setBreakpoints", "setFunctionBreakpoints", "setInstructionBreakpoints", "setDataBreakpoints", "dataBreakpointInfo", "exceptionInfo",
		"configurationDone", "launch", "attach", "initialize", "terminate",
	} {
		c.refused(command, nil)
		c.refused(command, "text")
		c.refused(command, []int{1})
	}
	c.end()
}

// Numbers that no answer has given, and arguments beyond all limits, are
// refused.
func TestBadArguments(t *testing.T) {
	c := launched(t, "total")
	f := c.at(c.stopped(), "inventory.c", "total")
	for command, all := range map[string][]any{
		"scopes":                    {map[string]int{"frameId": -1}, map[string]int{"frameId": 1 << 40}},
		"variables":                 {map[string]int{"variablesReference": 0}, map[string]int{"variablesReference": -1}, map[string]int{"variablesReference": 999}},
		"stackTrace":                {map[string]int{"threadId": -7}, map[string]int{"startFrame": -1}, map[string]int{"levels": -1}},
		"readMemory":                {map[string]any{"memoryReference": "x"}, map[string]any{"memoryReference": "0x1", "count": -1}},
		"writeMemory":               {map[string]any{"memoryReference": "0x1", "data": "?"}, map[string]any{"memoryReference": "0x1", "data": "QQ=="}},
		"disassemble":               {map[string]any{"memoryReference": "0x1", "instructionCount": 1 << 40}, map[string]any{"memoryReference": "0x1", "instructionOffset": -1 << 40}},
		"evaluate":                  {map[string]any{"expression": ""}, map[string]any{"expression": strings.Repeat("(", 5000)}, map[string]any{"expression": ":none", "context": "repl"}},
		"setDataBreakpoints":        {map[string]any{"breakpoints": []any{map[string]any{"dataId": "x"}}}},
		"setInstructionBreakpoints": {map[string]any{"breakpoints": []any{map[string]any{"instructionReference": "main"}}}},
		"setBreakpoints":            {map[string]any{}, map[string]any{"source": map[string]any{"path": "x"}, "breakpoints": make([]map[string]int, 1001)}},
		"seek":                      {map[string]any{"position": 1 << 60}, map[string]any{"position": -1}},
		"lastWrite":                 {map[string]any{}, map[string]any{"address": "0x1", "size": 1 << 40}, map[string]any{"expression": "nothing"}},
		"callTrace":                 {map[string]any{}, map[string]any{"function": "nothing"}, map[string]any{"at": 1 << 60}},
		"next":                      {map[string]any{"threadId": "one"}},
	} {
		for _, arguments := range all {
			if got := c.refused(command, arguments); got == "" {
				t.Errorf("%s %v is refused without a reason", command, arguments)
			}
		}
	}
	if got := c.value("it->id", f.Id); got != "3" {
		t.Errorf("afterwards it->id is %s, want 3", got)
	}
	c.end()
}

// A launched program ends with its client, whatever the client was waiting
// for; the server returns.
func TestClientGoes(t *testing.T) {
	for name, act := range map[string]func(c *client){
		"stopped": func(*client) {},
		"running": func(c *client) { c.do("continue", nil) },
		"asking":  func(c *client) { c.send("continue", nil); c.send("stackTrace", nil); c.send("evaluate", nil) },
		"recording": func(c *client) {
			c.do("evaluate", map[string]any{"expression": ":record on", "context": "repl"})
			c.do("continue", nil)
		},
		"half a message":  func(c *client) { _, _ = io.WriteString(c.conn, "Content-Length: 100\r\n\r\n{") },
		"disconnect only": func(c *client) { c.send("continue", nil); c.send("disconnect", nil) },
	} {
		t.Run(name, func(t *testing.T) {
			c := launched(t, "nest", "spin")
			c.at(c.stopped(), "inventory.c", "nest")
			pid := c.pid
			act(c)
			if err := c.conn.Close(); err != nil {
				t.Fatal(err)
			}
			select {
			case err := <-c.done:
				if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("serving: %v", err)
				}
			case <-time.After(patience):
				t.Fatal("the client has gone, and Serve has not returned")
			}
			c.gone(pid)
		})
	}
}

// A process that was attached to runs on after its client has gone, from
// wherever it was.
func TestClientGoesFromProcess(t *testing.T) {
	p := debuggertest.Start(t, "shapes.c")
	c := serve(t, sessiontest.NewRegistry(t), nil, session.Owner)
	c.begin("attach", map[string]any{"pid": p.PID, "stopOnEntry": true})
	c.breakAt("shapes.c", "visit")
	c.do("configurationDone", nil)
	c.stopped()
	c.do("continue", nil)
	p.Tell("run")
	c.stopped()
	if err := c.conn.Close(); err != nil {
		t.Fatal(err)
	}
	c.wait()
	if got := p.Line(); got != "31" {
		t.Errorf("the process answers %s, want 31", got)
	}
}

// A client that sends and does not read is given up, and its program ends.
func TestClientDoesNotRead(t *testing.T) {
	c := launched(t, "nest", "spin")
	c.at(c.stopped(), "inventory.c", "nest")
	pid := c.pid
	content, err := json.Marshal(map[string]any{
		"seq": 1000, "type": "request", "command": "disassemble",
		"arguments": map[string]any{"memoryReference": "0x10", "instructionCount": 5000},
	})
	if err != nil {
		t.Fatal(err)
	}
	var sent bytes.Buffer
	if err := godap.WriteBaseMessage(&sent, content); err != nil {
		t.Fatal(err)
	}
	if err := c.conn.SetWriteDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	for { // until the server closes the connection
		if _, err := c.conn.Write(sent.Bytes()); err != nil {
			break
		}
	}
	select {
	case err := <-c.done:
		if err == nil || !strings.Contains(err.Error(), "stopped reading") {
			t.Errorf("serving: %v, want that the client has stopped reading", err)
		}
	case <-time.After(patience):
		t.Fatal("Serve has not returned")
	}
	c.gone(pid)
}

// A request that waits is refused when it is canceled before its turn; one
// that has been answered is not affected.
func TestCancel(t *testing.T) {
	c := launched(t, "total")
	c.stopped()
	c.do("cancel", map[string]any{"requestId": c.seq})
	c.do("cancel", map[string]any{"requestId": c.seq + 2})
	if r := c.await(c.send("evaluate", map[string]any{"expression": "total"})); r.Success || r.Message != "cancelled" {
		t.Errorf("a canceled request: %+v", r)
	}
	c.do("evaluate", map[string]any{"expression": "total"})
	c.end()
}

// Whatever a client sends, the server does not panic, and ends when the client
// has gone. What it writes are messages that another codec reads.
func FuzzServe(f *testing.F) {
	message := func(content string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(content), content) }
	request := func(seq int, command, arguments string) string {
		return message(fmt.Sprintf(`{"seq":%d,"type":"request","command":%q,"arguments":%s}`, seq, command, arguments))
	}
	start := request(1, "initialize", `{"adapterID":"x"}`) + request(2, "attach", `{"pid":"7"}`) + request(3, "configurationDone", `{}`)
	f.Add([]byte(start + request(4, "threads", `{}`) + request(5, "stackTrace", `{"threadId":7}`) + request(6, "scopes", `{"frameId":1}`) +
		request(7, "variables", `{"variablesReference":1}`) + request(8, "variables", `{"variablesReference":2,"filter":"named","start":1,"count":2}`)))
	f.Add([]byte(start + request(4, "evaluate", `{"expression":"$rip+1","context":"hover"}`) + request(5, "evaluate", `{"expression":":position","context":"repl"}`)))
	f.Add([]byte(start + request(4, "readMemory", `{"memoryReference":"0x1000","count":4}`) + request(5, "disassemble", `{"memoryReference":"0x1000","instructionOffset":-3,"instructionCount":9}`)))
	f.Add([]byte(start + request(4, "setBreakpoints", `{"source":{"path":"/x.c"},"breakpoints":[{"line":1,"condition":"x"}]}`) + request(5, "continue", `{"threadId":7}`)))
	f.Add([]byte(start + request(4, "setVariable", `{"variablesReference":1,"name":"rax","value":"1"}`) + request(5, "pause", `{}`) + request(6, "seek", `{"position":1}`)))
	f.Add([]byte(start + request(4, "cancel", `{"requestId":5,"progressId":"request-6"}`) + request(5, "modules", `{}`) + request(6, "disconnect", `{"terminateDebuggee":false}`)))
	f.Add([]byte(message("{") + message("[[[[") + message("")))
	f.Add([]byte("Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}\r\n\r\n"))
	f.Fuzz(func(t *testing.T, input []byte) {
		r := sessiontest.NewRegistry(t)
		s := sessiontest.AddStill(t, r)
		client, server := net.Pipe()
		done := make(chan error, 1)
		go func() { done <- dap.Serve(context.Background(), server, r, s, dap.Options{Role: session.Control}) }()
		answers := make(chan []byte, 1)
		go func() {
			all, _ := io.ReadAll(client) // the connection ends with an error
			answers <- all
		}()
		_, _ = client.Write(input) // the server may end it earlier
		_ = client.Close()
		<-done
		checkMessages(t, <-answers)
	})
}

// checkMessages reads whole messages with go-dap.
func checkMessages(t *testing.T, all []byte) {
	t.Helper()
	for len(all) > 0 {
		header, rest, whole := bytes.Cut(all, []byte("\r\n\r\n"))
		var n int
		if _, err := fmt.Sscanf(string(header), "Content-Length: %d", &n); err != nil && whole {
			t.Fatalf("the header %q", header)
		}
		if !whole || len(rest) < n {
			return // the client has gone in the middle
		}
		var m map[string]any
		if err := json.Unmarshal(rest[:n], &m); err != nil {
			t.Fatalf("%q: %v", rest[:n], err)
		}
		all = rest[n:]
	}
}

package dap_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	godap "github.com/google/go-dap"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/dap"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/sessiontest"
)

// requests are lines of requests to begin with.
var requests = []string{
	`{"seq":1,"type":"request","command":"initialize","arguments":{"adapterID":"x","linesStartAt1":false}}
{"seq":2,"type":"request","command":"attach","arguments":{}}
{"seq":3,"type":"request","command":"configurationDone"}
{"seq":4,"type":"request","command":"threads"}
{"seq":5,"type":"request","command":"stackTrace","arguments":{"threadId":7,"levels":20}}
{"seq":6,"type":"request","command":"scopes","arguments":{"frameId":1000}}
{"seq":7,"type":"request","command":"variables","arguments":{"variablesReference":1001,"start":0,"count":9}}
{"seq":8,"type":"request","command":"disconnect"}`,
	`{"seq":1,"type":"request","command":"initialize","arguments":{}}
{"seq":2,"type":"request","command":"attach","arguments":{"pid":"7"}}
{"seq":3,"type":"request","command":"setBreakpoints","arguments":{"source":{"path":"/a.c"},"breakpoints":[{"line":3,"condition":"a == ","hitCondition":"% 0","logMessage":"{x"}]}}
{"seq":4,"type":"request","command":"setFunctionBreakpoints","arguments":{"breakpoints":[{"name":"main"}]}}
{"seq":5,"type":"request","command":"setInstructionBreakpoints","arguments":{"breakpoints":[{"instructionReference":"0x1000","offset":-1}]}}
{"seq":6,"type":"request","command":"setDataBreakpoints","arguments":{"breakpoints":[{"dataId":"{\"address\":4096,\"size\":8}","accessType":"write"}]}}
{"seq":7,"type":"request","command":"setExceptionBreakpoints","arguments":{"filters":["throw","nope"]}}
{"seq":8,"type":"request","command":"evaluate","arguments":{"expression":":seek 1","context":"repl"}}
{"seq":9,"type":"request","command":"readMemory","arguments":{"memoryReference":"0x1000","offset":-9223372036854775808,"count":2147483647}}
{"seq":10,"type":"request","command":"disassemble","arguments":{"memoryReference":"0x1000","instructionOffset":-20,"instructionCount":40}}
{"seq":11,"type":"request","command":"cancel","arguments":{"requestId":10}}`,
	`{"seq":1,"type":"request","command":"initialize","arguments":{"pathFormat":"uri"}}
{"seq":2,"type":"event","event":"x"}
{"seq":"3"}
[]
{"seq":4,"type":"request","command":"continue","arguments":{"threadId":-1}}
{"seq":5,"type":"request","command":"launch","arguments":{"program":"/bin/true","trace":"x","core":"y"}}`,
	"raw:Content-Length: 5\r\nContent-Length: 2\r\n\r\n{}GET / HTTP/1.1\r\n\r\n",
	"raw:Content-Length: -1\r\n\r\n",
}

// FuzzConversation sends what a client might: lines of requests, or raw bytes. The
// server answers each message that it answers in the form of the specification, and
// ends when the client has gone.
func FuzzConversation(f *testing.F) {
	for _, text := range requests {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		r := sessiontest.NewRegistry(t)
		s := sessiontest.AddStill(t, r)
		client, server := net.Pipe()
		served, answered := make(chan error, 1), make(chan error, 1)
		go func() {
			served <- dap.Serve(t.Context(), server, r, s, dap.Options{Role: session.Control})
		}()
		go func() { answered <- readAnswers(client) }()
		_, _ = client.Write(framed(input))                                    // fails when the server has ended the conversation
		closing := time.AfterFunc(time.Second, func() { _ = client.Close() }) // unless it disconnects
		defer closing.Stop()
		select {
		case <-served: // of wrong input it returns an error
		case <-time.After(time.Minute):
			t.Fatal("the conversation does not end")
		}
		_ = client.Close()
		if err := <-answered; err != nil {
			t.Error(err)
		}
	})
}

// framed makes a message of each line and one more to disconnect, or returns what follows raw: as it is.
func framed(input []byte) []byte {
	if raw, ok := bytes.CutPrefix(input, []byte("raw:")); ok {
		return raw
	}
	var b bytes.Buffer
	for line := range bytes.SplitSeq(input, []byte("\n")) {
		fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(line), line)
	}
	const last = `{"seq":99999,"type":"request","command":"disconnect"}`
	fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(last), last)
	return b.Bytes()
}

// readAnswers reads messages until the connection ends, with the reader of
// another implementation.
func readAnswers(conn io.Reader) error {
	in := bufio.NewReader(conn)
	for {
		content, err := godap.ReadBaseMessage(in)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return err
		}
		_, err = godap.DecodeProtocolMessage(content)
		// Commands and events that the specification does not have are unknown to it.
		if err != nil && !strings.Contains(err.Error(), "is not supported") {
			return fmt.Errorf("%s: %w", content, err)
		}
	}
}

package jsonrpc_test

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"
	"testing/iotest"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// FuzzServer gives a whole connection any bytes: every line it answers is a
// JSON-RPC response, it ends when its input does, and it answers the same
// however the bytes arrive.
func FuzzServer(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
		f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"echo","params":[` + s + `]}` + "\n"))
	}
	f.Add([]byte(`[{"jsonrpc":"2.0","id":1,"method":"sequence"},{"jsonrpc":"2.0","id":1,"method":"sequence"},3]`))
	f.Fuzz(func(t *testing.T, in []byte) {
		if bytes.Contains(in, []byte("hold")) || bytes.Contains(in, []byte("\\u")) {
			return // handlers that wait for the test
		}
		whole := answers(t, bytes.NewReader(in))
		for line := range bytes.SplitSeq(bytes.TrimSuffix(whole, []byte("\n")), []byte("\n")) {
			checkLine(t, line)
		}
		if bytes.IndexByte(in, '[') < 0 { // batches may be answered in any order
			if split := answers(t, iotest.OneByteReader(bytes.NewReader(in))); !bytes.Equal(whole, split) {
				t.Errorf("whole: %s\nsplit: %s", whole, split)
			}
		}
	})
}

func answers(t *testing.T, in io.Reader) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := jsonrpc.NewConn(in, &out, jsonrpc.Config{MaxMessage: 1000}).Serve(t.Context(), newStation()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// checkLine checks one response, or each of a batch.
func checkLine(t *testing.T, line []byte) {
	t.Helper()
	switch {
	case len(line) == 0:
		return // there was no answer at all
	case line[0] == '{':
		checkResponse(t, line)
		return
	}
	var batch []json.RawMessage
	if err := json.Unmarshal(line, &batch); err != nil || len(batch) == 0 {
		t.Fatalf("no batch: %s: %v", line, err)
	}
	for _, response := range batch {
		checkResponse(t, response)
	}
}

func checkResponse(t *testing.T, line []byte) {
	t.Helper()
	var r struct {
		JSONRPC string
		ID      json.RawMessage
		Result  json.RawMessage
		Error   *struct {
			Code    int
			Message string
		}
	}
	if err := json.Unmarshal(line, &r); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	if r.JSONRPC != "2.0" || r.ID == nil || (r.Result == nil) == (r.Error == nil) {
		t.Errorf("no response: %s", line)
	}
}

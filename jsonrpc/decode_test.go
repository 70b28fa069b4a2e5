package jsonrpc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

var envelopes = []string{
	`{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":[1,"\u00e9"]}}`,
	`{"jsonrpc":"2.0","id":1.0e+2,"method":"x","params":[]}`,
	`{"jsonrpc":"2.0","\u0069d":"\u0061","method":"\ud83d","extra":{"id":2}}`,
	` {"params":[ ],"method":"x","id":-0,"jsonrpc":"2.0"} `,
	`{"jsonrpc":"2.0","id":1,"id":2,"method":"x"}`,
	`{"jsonrpc":"2.0","id":null,"method":"x"}`,
	`{"jsonrpc":"2.0","method":"x","params":null}`,
	`{"jsonrpc":"2.0","id":7,"result":null}`,
	`{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"m"}}`,
	`{"jsonrpc":"2.0","id":{},"method":"x"}`,
	`{"jsonrpc":"\u0032.0","id":1,"method":"x"}`,
}

// FuzzDecode takes encoding/json as the oracle for one message: the same texts
// are JSON, the same messages are requests, with the same id and params.
func FuzzDecode(f *testing.F) {
	for _, s := range slices.Concat(envelopes, seeds) {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if first := bytes.TrimLeft(b, " \t\r\n"); len(first) > 0 && first[0] == '[' || bytes.Count(b, []byte("["))+bytes.Count(b, []byte("{")) > 500 {
			return // a batch, or too deep
		}
		body, refused := jsonrpc.Decode(b, jsonrpc.Config{})
		text := bytes.TrimPrefix(b, []byte("\ufeff"))
		if len(bytes.TrimLeft(text, " \t\r\n")) == 0 {
			text = b
		}
		isJSON := json.Valid(text) && utf8.Valid(text)
		if b = text; isJSON && refused != nil || !isJSON && refused == nil && body.Messages[0].Err == nil {
			t.Fatalf("Decode(%q) = %v, JSON = %t", b, refused, isJSON)
		}
		if !isJSON {
			return
		}
		want, isRequest := reference(t, b)
		got := body.Messages[0]
		if (got.Request != nil) != isRequest {
			t.Fatalf("Decode(%q) = %+v, a request = %t", b, got, isRequest)
		}
		if isRequest {
			compareRequest(t, got.Request, want)
		}
	})
}

// reference reads a request the slow, obvious way.
func reference(t *testing.T, b []byte) (members map[string]json.RawMessage, isRequest bool) {
	t.Helper()
	if b = bytes.TrimSpace(b); b[0] != '{' {
		return nil, false
	}
	if members, isRequest = uniqueMembers(t, b); !isRequest {
		return members, false
	}
	id, hasID := members["id"]
	params, hasParams := members["params"]
	return members, string(members["jsonrpc"]) == `"2.0"` && first(members["method"], `"`) &&
		(!hasID || first(id, `"-0123456789`)) && (!hasParams || first(params, `{[n`))
}

// uniqueMembers also reports whether no member of the envelope is there twice.
func uniqueMembers(t *testing.T, b []byte) (map[string]json.RawMessage, bool) {
	t.Helper()
	members, seen := map[string]json.RawMessage{}, map[string]int{}
	dec := json.NewDecoder(bytes.NewReader(b))
	if _, err := dec.Token(); err != nil {
		t.Fatal(err)
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			t.Fatal(err)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			t.Fatal(err)
		}
		members[key.(string)] = value
		seen[key.(string)]++
	}
	for _, name := range []string{"jsonrpc", "id", "method", "params", "result", "error"} {
		if seen[name] > 1 {
			return members, false
		}
	}
	return members, true
}

func first(raw json.RawMessage, of string) bool {
	return len(raw) > 0 && bytes.IndexByte([]byte(of), raw[0]) >= 0
}

func compareRequest(t *testing.T, got *jsonrpc.Request, want map[string]json.RawMessage) {
	t.Helper()
	var method string
	if err := json.Unmarshal(want["method"], &method); err != nil {
		t.Fatal(err)
	}
	if string(want["params"]) == "null" {
		delete(want, "params")
	}
	if got.Method != method || !bytes.Equal(got.ID.Raw(), want["id"]) || !bytes.Equal(got.Params, want["params"]) {
		t.Errorf("got %q %s %s, want %q of %v", got.Method, got.ID, got.Params, method, slices.Collect(maps.Keys(want)))
	}
}

// FuzzRoundTrip writes a decoded request anew: it says the same again.
func FuzzRoundTrip(f *testing.F) {
	for _, s := range envelopes {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		body, refused := jsonrpc.Decode(b, jsonrpc.Config{})
		if refused != nil || body.Batch || body.Messages[0].Request == nil {
			return
		}
		req := body.Messages[0].Request
		again, refused := jsonrpc.Decode(encode(req), jsonrpc.Config{})
		if refused != nil {
			t.Fatalf("%s: %v", encode(req), refused)
		}
		got := again.Messages[0].Request
		if got == nil || got.Method != req.Method || got.ID.String() != req.ID.String() || !bytes.Equal(got.Params, req.Params) {
			t.Errorf("%s became %+v", b, got)
		}
	})
}

func encode(req *jsonrpc.Request) []byte {
	dst := jsonrpc.AppendString([]byte(`{"jsonrpc":"2.0","method":`), req.Method)
	if !req.IsNotification() {
		dst = append(append(dst, `,"id":`...), req.ID.Raw()...)
	}
	if req.Params != nil {
		dst = append(append(dst, `,"params":`...), req.Params...)
	}
	return append(dst, '}')
}

// BenchmarkDecode is one message from bytes to a request.
func BenchmarkDecode(b *testing.B) {
	raw := []byte(toolsCall)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := jsonrpc.Decode(raw, jsonrpc.Config{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAnswer is one request through a handler to the answer's bytes.
func BenchmarkAnswer(b *testing.B) {
	body, refused := jsonrpc.Decode([]byte(toolsCall), jsonrpc.Config{})
	if refused != nil {
		b.Fatal(refused)
	}
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		dst = jsonrpc.Answer(context.Background(), echo, body.Messages[0].Request, dst[:0])
	}
}

// Literals that look alike are told apart, whatever came before them on the same
// connection.
func TestMethodsByTheirLiterals(t *testing.T) {
	literals := []string{`"a"`, `"a"`, `"\u0061"`, `"a\b"`, `"a\\b"`, `"a\b"`, `"a\\b"`, `"\ud83d"`, `"�"`, `"a"`}
	var in, want bytes.Buffer
	for i, lit := range literals {
		var name string
		if err := json.Unmarshal([]byte(lit), &name); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"m\u0065thod":%s}`+"\n", i, lit)
		fmt.Fprintf(&want, `{"jsonrpc":"2.0","id":%d,"result":%q}`+"\n", i, []byte(name))
	}
	var out bytes.Buffer
	quote := jsonrpc.HandlerFunc(func(_ context.Context, req *jsonrpc.Request, dst []byte) ([]byte, error) {
		return fmt.Appendf(dst, "%q", []byte(req.Method)), nil
	})
	if err := jsonrpc.NewConn(&in, &out, jsonrpc.Config{}).Serve(t.Context(), quote); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != want.String() {
		t.Errorf("got\n%swant\n%s", got, &want)
	}
}

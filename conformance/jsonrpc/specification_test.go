package jsonrpc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// The examples of JSON-RPC 2.0, section 7, in their order. want is "" where
// nothing comes back.
var examples = []struct{ name, sent, want string }{
	{
		"positional parameters",
		`{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}`,
		`{"jsonrpc": "2.0", "result": 19, "id": 1}`,
	},
	{
		"positional parameters the other way round",
		`{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}`,
		`{"jsonrpc": "2.0", "result": -19, "id": 2}`,
	},
	{
		"named parameters",
		`{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}`,
		`{"jsonrpc": "2.0", "result": 19, "id": 3}`,
	},
	{
		"named parameters in another order",
		`{"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}`,
		`{"jsonrpc": "2.0", "result": 19, "id": 4}`,
	},
	{"notification", `{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}`, ``},
	{"notification without parameters", `{"jsonrpc": "2.0", "method": "foobar"}`, ``},
	{
		"non-existent method",
		`{"jsonrpc": "2.0", "method": "foobar", "id": "1"}`,
		`{"jsonrpc": "2.0", "error": {"code": -32601, "message": "Method not found"}, "id": "1"}`,
	},
	{
		"invalid JSON",
		`{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]`,
		`{"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}, "id": null}`,
	},
	{
		"invalid request object",
		`{"jsonrpc": "2.0", "method": 1, "params": "bar"}`,
		`{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}`,
	},
	{
		"batch of invalid JSON",
		`[
			{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
			{"jsonrpc": "2.0", "method"
		]`,
		`{"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}, "id": null}`,
	},
	{
		"empty array",
		`[]`,
		`{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}`,
	},
	{
		"invalid batch that is not empty",
		`[1]`,
		`[
			{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}
		]`,
	},
	{
		"invalid batch",
		`[1,2,3]`,
		`[
			{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null},
			{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null},
			{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}
		]`,
	},
	{
		"mixed batch",
		`[
			{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
			{"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},
			{"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},
			{"foo": "boo"},
			{"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
			{"jsonrpc": "2.0", "method": "get_data", "id": "9"}
		]`,
		`[
			{"jsonrpc": "2.0", "result": 7, "id": "1"},
			{"jsonrpc": "2.0", "result": 19, "id": "2"},
			{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null},
			{"jsonrpc": "2.0", "error": {"code": -32601, "message": "Method not found"}, "id": "5"},
			{"jsonrpc": "2.0", "result": ["hello", 5], "id": "9"}
		]`,
	},
	{
		"batch of notifications",
		`[
			{"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]},
			{"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}
		]`,
		``,
	},
}

// Over a connection an example is one line.
func TestExamplesOverConn(t *testing.T) {
	for _, tt := range examples {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			line := strings.ReplaceAll(tt.sent, "\n", " ") + "\n"
			conn := jsonrpc.NewConn(strings.NewReader(line), &out, jsonrpc.Config{})
			if err := conn.Serve(t.Context(), jsonrpc.HandlerFunc(serve)); err != nil {
				t.Fatal(err)
			}
			compare(t, out.String(), tt.want)
		})
	}
}

// All at once: nothing of one example gets into the answers to another.
func TestExamplesInOneStream(t *testing.T) {
	var in, out bytes.Buffer
	var want []string
	for _, tt := range examples {
		in.WriteString(strings.ReplaceAll(tt.sent, "\n", " ") + "\n")
		if tt.want != "" {
			want = append(want, tt.want)
		}
	}
	conn := jsonrpc.NewConn(&in, &out, jsonrpc.Config{})
	if err := conn.Serve(t.Context(), jsonrpc.HandlerFunc(serve)); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	compare(t, "["+strings.Join(lines, ",")+"]", "["+strings.Join(want, ",")+"]")
}

// A whole text, such as the body of an HTTP request, may have line breaks.
func TestExamplesAsBodies(t *testing.T) {
	handler := jsonrpc.HandlerFunc(serve)
	for _, tt := range examples {
		t.Run(tt.name, func(t *testing.T) {
			var got []byte
			body, refusal := jsonrpc.Decode([]byte(tt.sent), jsonrpc.Config{})
			if refusal != nil {
				got = jsonrpc.AppendError(nil, jsonrpc.ID{}, true, refusal)
			} else {
				got = body.Answer(t.Context(), handler, nil)
			}
			compare(t, string(got), tt.want)
			if refusal == nil && body.Answered() != (tt.want != "") {
				t.Errorf("Answered is %v for the answer %q", body.Answered(), tt.want)
			}
		})
	}
}

// serve has the methods of the examples.
func serve(_ context.Context, req *jsonrpc.Request, dst []byte) ([]byte, error) {
	var result any
	switch req.Method {
	case "subtract":
		n, err := minuendAndSubtrahend(req.Params)
		if err != nil {
			return dst, err
		}
		result = n.Minuend - n.Subtrahend
	case "sum":
		var numbers []int
		if err := json.Unmarshal(req.Params, &numbers); err != nil {
			return dst, err
		}
		sum := 0
		for _, n := range numbers {
			sum += n
		}
		result = sum
	case "get_data":
		result = []any{"hello", 5}
	case "update", "notify_hello", "notify_sum":
		return dst, nil
	default:
		return dst, jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "Method not found")
	}
	raw, err := json.Marshal(result)
	return append(dst, raw...), err
}

type subtraction struct{ Minuend, Subtrahend int }

// minuendAndSubtrahend takes parameters by position or by name.
func minuendAndSubtrahend(params []byte) (s subtraction, err error) {
	if params[0] == '{' {
		err = json.Unmarshal(params, &s)
		return s, err
	}
	err = json.Unmarshal(params, &[]any{&s.Minuend, &s.Subtrahend})
	return s, err
}

// compare finds answers equal that differ in spaces, in the order of members
// and of the answers to a batch, and in an error's data, which section 5.1
// leaves to the server.
func compare(t *testing.T, got, want string) {
	t.Helper()
	if diff := cmp.Diff(canonical(t, want), canonical(t, got)); diff != "" {
		t.Errorf("the answer differs (-want +got):\n%s", diff)
	}
}

func canonical(t *testing.T, answer string) any {
	t.Helper()
	if answer == "" {
		return nil
	}
	var v any
	if err := json.Unmarshal([]byte(answer), &v); err != nil {
		t.Fatalf("%q: %v", answer, err)
	}
	return ordered(t, v)
}

// ordered drops the data of errors and sorts the answers to a batch.
func ordered(t *testing.T, v any) any {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		if e, ok := v["error"].(map[string]any); ok {
			delete(e, "data")
		}
	case []any:
		for i := range v {
			v[i] = ordered(t, v[i])
		}
		slices.SortFunc(v, func(a, b any) int { return strings.Compare(text(t, a), text(t, b)) })
	}
	return v
}

func text(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

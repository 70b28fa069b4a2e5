package jsonrpc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// calculator is the server of JSON-RPC 2.0's own examples.
var calculator = jsonrpc.HandlerFunc(func(_ context.Context, req *jsonrpc.Request, dst []byte) ([]byte, error) {
	switch req.Method {
	case "subtract":
		if req.Params[0] == '[' {
			return append(dst, map[string]string{"[42, 23]": "19", "[23, 42]": "-19", "[42,23]": "19"}[string(req.Params)]...), nil
		}
		return append(dst, "19"...), nil // both examples by name subtract 23 from 42
	case "sum":
		return append(dst, "7"...), nil
	case "get_data":
		return append(dst, `["hello", 5]`...), nil
	}
	return dst, jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "Method not found")
})

// specification is section 7 of JSON-RPC 2.0, without the data that we add to
// errors. An empty answer is none.
var specification = []struct{ name, in, want string }{
	{"positional", `{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}`, `{"jsonrpc":"2.0","id":1,"result":19}`},
	{"positional reversed", `{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}`, `{"jsonrpc":"2.0","id":2,"result":-19}`},
	{"named", `{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}`, `{"jsonrpc":"2.0","id":3,"result":19}`},
	{"notification", `{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}`, ``},
	{"notification, unknown", `{"jsonrpc": "2.0", "method": "foobar"}`, ``},
	{"unknown method", `{"jsonrpc": "2.0", "method": "foobar", "id": "1"}`, `{"jsonrpc":"2.0","id":"1","error":{"code":-32601,"message":"Method not found"}}`},
	{"invalid JSON", `{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`},
	{"invalid request", `{"jsonrpc": "2.0", "method": 1, "params": "bar"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}`},
	{"batch, invalid JSON", `[ {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"}, {"jsonrpc": "2.0", "method" ]`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`},
	{"empty batch", `[]`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}`},
	{"invalid batch", `[1]`, `[{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}]`},
	{"invalid batch of three", `[1,2,3]`, `[` + strings.TrimSuffix(strings.Repeat(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}},`, 3), ",") + `]`},
	{
		"batch", `[ {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"}, {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}, {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"}, {"foo": "boo"}, {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"}, {"jsonrpc": "2.0", "method": "get_data", "id": "9"} ]`,
		`[{"jsonrpc":"2.0","id":"1","result":7},{"jsonrpc":"2.0","id":"2","result":19},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}},{"jsonrpc":"2.0","id":"5","error":{"code":-32601,"message":"Method not found"}},{"jsonrpc":"2.0","id":"9","result":["hello", 5]}]`,
	},
	{"batch of notifications", `[ {"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]}, {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]} ]`, ``},
}

func TestExamplesOfTheSpecification(t *testing.T) {
	for _, tc := range specification {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, withoutData(answerBody(t, tc.in))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func answerBody(t *testing.T, in string) string {
	t.Helper()
	body, refused := jsonrpc.Decode([]byte(in), jsonrpc.Config{})
	if refused != nil {
		return string(jsonrpc.AppendError(nil, jsonrpc.ID{}, true, refused))
	}
	out := string(body.Answer(t.Context(), calculator, nil))
	if body.Answered() != (out != "") {
		t.Errorf("Answered is %t, the answer %q", body.Answered(), out)
	}
	return out
}

// withoutData cuts what we add to the specification's errors.
func withoutData(s string) string {
	for {
		from := strings.Index(s, `,"data":{`)
		if from < 0 {
			return s
		}
		s = s[:from] + s[from+strings.IndexByte(s[from:], '}')+1:]
	}
}

func TestDecodeBounds(t *testing.T) {
	one := `{"jsonrpc":"2.0","method":"x"}`
	for _, tc := range []struct {
		name, in string
		cfg      jsonrpc.Config
		want     string
	}{
		{"long", one, jsonrpc.Config{MaxMessage: len(one) - 1}, "Invalid Request: a message may have 29 bytes at most"},
		{"many", "[" + one + "," + one + "]", jsonrpc.Config{MaxBatch: 1}, "Invalid Request: a batch may have 1 messages at most"},
		{"deep", `{"jsonrpc":"2.0","method":"x","params":[[]]}`, jsonrpc.Config{MaxDepth: 2}, "Invalid Request: nested deeper than 2 levels at byte 40"},
		{"deep in a batch", `[{"jsonrpc":"2.0","method":"x","params":[]}]`, jsonrpc.Config{MaxDepth: 2}, "Invalid Request: nested deeper than 1 levels at byte 40"},
		{"empty", ``, jsonrpc.Config{}, "Parse error: expected a value at byte 0"},
	} {
		body, err := jsonrpc.Decode([]byte(tc.in), tc.cfg)
		if err == nil && len(body.Messages) == 1 {
			err = body.Messages[0].Err
		}
		if err == nil || err.Error() != tc.want {
			t.Errorf("%s: %v, want %s", tc.name, err, tc.want)
		}
	}
}

// TestBatchStopsAtLargeAnswers sends requests whose answers are larger than a
// batch may be: the ones behind are refused and not run, over both transports.
func TestBatchStopsAtLargeAnswers(t *testing.T) {
	const each, n = 1000, 20
	var in strings.Builder
	for i := range n {
		fmt.Fprintf(&in, `,{"jsonrpc":"2.0","id":%d,"method":"x"},{"jsonrpc":"2.0","method":"note"}`, i)
	}
	text := "[" + in.String()[1:] + "]"
	cfg := jsonrpc.Config{MaxBatchAnswer: 5 * each}
	var ran atomic.Int32
	handler := jsonrpc.HandlerFunc(func(_ context.Context, req *jsonrpc.Request, dst []byte) ([]byte, error) {
		if !req.IsNotification() {
			ran.Add(1)
		}
		return jsonrpc.AppendString(dst, strings.Repeat("x", each)), nil
	})
	for _, tt := range []struct {
		name   string
		atMost int32 // five, and those that ran beside each other
		answer func() []byte
	}{
		{"body", 5, func() []byte {
			body, refused := jsonrpc.Decode([]byte(text), cfg)
			if refused != nil {
				t.Fatal(refused)
			}
			return body.Answer(t.Context(), handler, nil)
		}},
		{"line", 6, func() []byte {
			cfg := cfg
			cfg.MaxRunning = 1
			var out bytes.Buffer
			if err := jsonrpc.NewConn(strings.NewReader(text+"\n"), &out, cfg).Serve(t.Context(), handler); err != nil {
				t.Fatal(err)
			}
			return out.Bytes()
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ran.Store(0)
			var answers []struct {
				Result *string
				Error  *struct{ Code int }
			}
			if err := json.Unmarshal(tt.answer(), &answers); err != nil {
				t.Fatal(err)
			}
			refused := 0
			for _, a := range answers {
				if a.Error != nil && a.Error.Code == -32600 {
					refused++
				}
			}
			if got := int(ran.Load()); len(answers) != n || got < 5 || got > int(tt.atMost) || refused != n-got {
				t.Errorf("%d answers, %d ran and %d refused", len(answers), got, refused)
			}
		})
	}
}

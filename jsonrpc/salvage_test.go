package jsonrpc_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// TestRefusalsKeepTheID refuses messages whose brackets and quotes are right, with the id in
// front, in the middle and at the end: the answer has it, whether the message came as a line,
// as the last line without a newline, as a body, or in a batch.
func TestRefusalsKeepTheID(t *testing.T) {
	cfg := jsonrpc.Config{MaxMessage: 4096, MaxDepth: 20}
	for _, cause := range []struct{ name, params, want string }{
		{"deep arrays", strings.Repeat("[", 30) + strings.Repeat("]", 30), "nested deeper than "},
		{"deep objects", strings.Repeat(`{"id":`, 30) + "1" + strings.Repeat("}", 30), "nested deeper than "},
		{"not UTF-8", "[\"a\xffb\"]", "expected UTF-8 at byte "},
		{"half a surrogate", "[\"\xed\xa0\x80\"]", "expected UTF-8 at byte "},
		{"a key that is not UTF-8", "{\"\xc0\":{\"id\":9}}", "expected UTF-8 at byte "},
		{"long", `["` + strings.Repeat(`x\"}]`, 2000) + `","id",{"id":7}]`, "a message may have 4096 bytes at most"},
		{"very long", `[` + strings.Repeat(`{"id":"y"},`, 40_000) + `1]`, "a message may have 4096 bytes at most"},
	} {
		for _, id := range []string{`1`, `"a b"`, `-0`, `1.50e+1`, `"\u0031"`, `""`, `"}\","`} {
			for _, form := range []string{
				`{"jsonrpc":"2.0","id":%[1]s,"method":"echo","params":%[2]s}`,
				`{"jsonrpc":"2.0", "\u0069d" : %[1]s ,"params":%[2]s,"method":"echo"}`,
				`{"method":"echo","params":%[2]s,"jsonrpc":"2.0","id":%[1]s}`,
				` { "params" : %[2]s , "id" : %[1]s } `,
			} {
				text := fmt.Sprintf(form, id, cause.params)
				whole := !strings.HasPrefix(cause.want, "a message")
				answers := map[string]string{
					"line": strings.Join(serve(t, text+"\n", cfg), ""), "last line": strings.Join(serve(t, text, cfg), ""),
				}
				if whole {
					answers["batch"] = strings.Join(serve(t, "["+text+"]\n", cfg), "")
					body, err := jsonrpc.Decode([]byte(text), cfg)
					if err != nil {
						t.Fatalf("%s: %v", cause.name, err)
					}
					answers["body"] = string(body.Answer(t.Context(), newStation(), nil))
				}
				for how, got := range answers {
					kind := `{"code":-32600,"message":"Invalid Request"`
					if strings.Contains(cause.want, "UTF-8") {
						kind = `{"code":-32700,"message":"Parse error"`
					}
					head := `{"jsonrpc":"2.0","id":` + id + `,"error":` + kind + `,"data":{"details":"` + cause.want
					if how == "batch" {
						head = "[" + head
					}
					if !strings.HasPrefix(got, head) {
						t.Errorf("%s as %s: got %.200s, want %s…", cause.name, how, got, head)
					}
				}
			}
		}
	}
}

// TestRefusalsWithoutAnID refuses messages that have no id that could be read, or are not
// JSON behind the first fault.
func TestRefusalsWithoutAnID(t *testing.T) {
	deep := strings.Repeat("[", 30) + strings.Repeat("]", 30)
	for name, text := range map[string]string{
		"none":            `{"jsonrpc":"2.0","method":"echo","params":` + deep + `}`,
		"null":            `{"id":null,"params":` + deep + `}`,
		"twice":           `{"id":1,"params":` + deep + `,"id":1}`,
		"nested only":     `{"params":[{"id":1},` + deep + `]}`,
		"a list":          `{"id":[1],"params":` + deep + `}`,
		"two numbers":     `{"id":1 2,"params":` + deep + `}`,
		"a value":         `{"a":"id","params":` + deep + `}`,
		"no end":          `{"id":1,"params":` + strings.Repeat("[", 30),
		"something after": `{"id":1,"params":` + deep + `} x`,
		"a bad id":        "{\"id\":\"\xff\",\"params\":[]}",
		"brackets alone":  strings.Repeat("[", 100_000),
	} {
		got := strings.Join(serve(t, text+"\n", jsonrpc.Config{MaxDepth: 20}), "")
		if !strings.Contains(got, `"id":null`) || !strings.Contains(got, " at byte ") {
			t.Errorf("%s: got %s, want id null and the byte", name, got)
		}
	}
}

// TestBatchWithABadElement answers the good elements of a batch and each bad one.
func TestBatchWithABadElement(t *testing.T) {
	text := `[{"jsonrpc":"2.0","id":1,"method":"echo","params":[1]},{"jsonrpc":"2.0","method":"echo","id":2,"params":` +
		strings.Repeat("[", 30) + strings.Repeat("]", 30) + `}]`
	body, err := jsonrpc.Decode([]byte(text), jsonrpc.Config{MaxDepth: 20})
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"jsonrpc":"2.0","id":1,"result":[1]},{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"Invalid Request","data":{"details":"nested deeper than 19 levels at byte 67"}}}]`
	if diff := cmp.Diff(want, string(body.Answer(t.Context(), newStation(), nil))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A reuser is a handler whose clients may use an id while it is in flight.
type reuser struct{ *station }

func (reuser) ReusesID(*jsonrpc.Request) bool { return true }

// TestReusedIDsAreAnsweredInOrder sends lines with one id while the first of them is still
// being answered.
func TestReusedIDsAreAnsweredInOrder(t *testing.T) {
	s := newStation()
	l := open(t, s, jsonrpc.Config{}, reuser{s})
	l.send(`{"jsonrpc":"2.0","id":1,"method":"hold"}`)
	<-s.held
	var want []string
	for i := range 50 {
		l.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"echo","params":[%d]}`, i))
		want = append(want, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":[%d]}`, i))
	}
	l.send(`{"jsonrpc":"2.0","id":2,"method":"echo","params":[]}`)
	l.expect(`{"jsonrpc":"2.0","id":2,"result":[]}`)
	close(s.hold)
	l.expect(`{"jsonrpc":"2.0","id":1,"result":"held"}`)
	for _, line := range want {
		l.expect(line)
	}
	l.end()
}

// TestReusedIDInABatch answers each message of a batch whose messages all have one id.
func TestReusedIDInABatch(t *testing.T) {
	var out strings.Builder
	one := `{"jsonrpc":"2.0","id":1,"method":"echo","params":[]}`
	in := strings.NewReader("[" + one + "," + one + "," + one + "]\n")
	if err := jsonrpc.NewConn(in, &out, jsonrpc.Config{}).Serve(context.Background(), reuser{newStation()}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out.String(), `"result":[]`); got != 3 {
		t.Errorf("%d answers, want 3: %s", got, out.String())
	}
}

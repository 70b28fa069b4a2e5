package jsonrpc_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// Why we do with a case what the suite leaves open.
const (
	numberAsSent  = "accepted: a number is digits; how large it may be is up to whoever uses it"
	halfPair      = "accepted: RFC 8259, section 8.2, lets half a surrogate pair stand as an escape"
	notUTF8       = "refused: RFC 8259, section 8.1, asks for UTF-8"
	byteOrderMark = "refused: RFC 8259, section 8.1, forbids it to senders"
	withinDepth   = "accepted: 500 is less than the default depth"
)

// open holds the expected results of cases that a parser may accept or refuse.
var open = map[string]string{
	"i_number_double_huge_neg_exp":                   numberAsSent,
	"i_number_huge_exp":                              numberAsSent,
	"i_number_neg_int_huge_exp":                      numberAsSent,
	"i_number_pos_double_huge_exp":                   numberAsSent,
	"i_number_real_neg_overflow":                     numberAsSent,
	"i_number_real_pos_overflow":                     numberAsSent,
	"i_number_real_underflow":                        numberAsSent,
	"i_number_too_big_neg_int":                       numberAsSent,
	"i_number_too_big_pos_int":                       numberAsSent,
	"i_number_very_big_negative_int":                 numberAsSent,
	"i_object_key_lone_2nd_surrogate":                halfPair,
	"i_string_1st_surrogate_but_2nd_missing":         halfPair,
	"i_string_1st_valid_surrogate_2nd_invalid":       halfPair,
	"i_string_incomplete_surrogate_and_escape_valid": halfPair,
	"i_string_incomplete_surrogate_pair":             halfPair,
	"i_string_incomplete_surrogates_escape_valid":    halfPair,
	"i_string_invalid_lonely_surrogate":              halfPair,
	"i_string_invalid_surrogate":                     halfPair,
	"i_string_inverted_surrogates_U+1D11E":           halfPair,
	"i_string_lone_second_surrogate":                 halfPair,
	"i_string_UTF-16LE_with_BOM":                     notUTF8,
	"i_string_UTF-8_invalid_sequence":                notUTF8,
	"i_string_UTF8_surrogate_U+D800":                 notUTF8,
	"i_string_invalid_utf-8":                         notUTF8,
	"i_string_iso_latin_1":                           notUTF8,
	"i_string_lone_utf8_continuation_byte":           notUTF8,
	"i_string_not_in_unicode_range":                  notUTF8,
	"i_string_overlong_sequence_2_bytes":             notUTF8,
	"i_string_overlong_sequence_6_bytes":             notUTF8,
	"i_string_overlong_sequence_6_bytes_null":        notUTF8,
	"i_string_truncated-utf-8":                       notUTF8,
	"i_string_utf16BE_no_BOM":                        notUTF8,
	"i_string_utf16LE_no_BOM":                        notUTF8,
	"i_structure_500_nested_arrays":                  withinDepth,
	"i_structure_UTF-8_BOM_empty_object":             byteOrderMark,
}

// accepted reports whether we must take a case.
func accepted(t *testing.T, p parsing) bool {
	t.Helper()
	switch p.must() {
	case "y":
		return true
	case "n":
		return false
	}
	reason, ok := open[p.name]
	if !ok {
		t.Errorf("%s: nothing says what we do with it", p.name)
	}
	return strings.HasPrefix(reason, "accepted")
}

func TestValid(t *testing.T) {
	for _, p := range parsings(t) {
		t.Run(p.name, func(t *testing.T) {
			err := jsonrpc.Valid(p.text, jsonrpc.DefaultDepth)
			if got, want := err == nil, accepted(t, p); got != want {
				t.Errorf("accepted is %v (%v), want %v", got, err, want)
			}
			syntax, ok := errors.AsType[*jsonrpc.SyntaxError](err)
			if err != nil && (!ok || syntax.Offset < 0 || syntax.Offset > len(p.text)) {
				t.Errorf("%v (%T) is no place in %d bytes", err, err, len(p.text))
			}
		})
	}
}

// 500 arrays are too deep for a limit of 499.
func TestDepthIsExact(t *testing.T) {
	for _, p := range parsings(t) {
		if p.name != "i_structure_500_nested_arrays" {
			continue
		}
		if err := jsonrpc.Valid(p.text, 500); err != nil {
			t.Errorf("depth 500: %v", err)
		}
		if err := jsonrpc.Valid(p.text, 499); err == nil {
			t.Error("depth 499: accepted")
		}
	}
}

// inRequest is a request that has the text in its params.
func inRequest(text []byte) (request, params []byte) {
	params = append(append([]byte(`{"v":`), text...), '}')
	request = append(append([]byte(`{"jsonrpc":"2.0","id":1,"method":"m","params":`), params...), '}')
	return request, params
}

// What is accepted comes out as it went in; what is not is a parse error, which
// is told from a request that is JSON but no request.
func TestDecodeParams(t *testing.T) {
	for _, p := range parsings(t) {
		t.Run(p.name, func(t *testing.T) {
			request, params := inRequest(p.text)
			body, refusal := jsonrpc.Decode(request, jsonrpc.Config{})
			switch {
			case !accepted(t, p):
				if refusal == nil { // the id could be read
					refusal = body.Messages[0].Err
				}
				if refusal == nil || refusal.Code != jsonrpc.CodeParseError {
					t.Errorf("the refusal is %v, want %d", refusal, jsonrpc.CodeParseError)
				}
			case refusal != nil || body.Messages[0].Request == nil:
				t.Errorf("refused: %v, %+v", refusal, body.Messages)
			case !bytes.Equal(body.Messages[0].Request.Params, params):
				t.Errorf("the params are %s, want %s", body.Messages[0].Request.Params, params)
			}
		})
	}
}

// A text that is no JSON spoils its own line and no other: each is answered
// once, and the request behind it as well.
func TestBrokenLinesAreAnsweredOneByOne(t *testing.T) {
	const request, answer = `{"jsonrpc":"2.0","id":7,"method":"m"}`, `{"jsonrpc":"2.0","id":7,"result":true}`
	var in, out bytes.Buffer
	var want []string
	for _, p := range parsings(t) {
		if accepted(t, p) || bytes.ContainsRune(p.text, '\n') || len(bytes.TrimSpace(p.text)) == 0 {
			continue // a request of another kind, more than one line, or none
		}
		in.Write(append(p.text, "\n"+request+"\n"...))
		want = append(want, p.name, answer)
	}
	conn := jsonrpc.NewConn(&in, &out, jsonrpc.Config{})
	err := conn.Serve(t.Context(), jsonrpc.HandlerFunc(
		func(_ context.Context, _ *jsonrpc.Request, dst []byte) ([]byte, error) {
			return append(dst, "true"...), nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(got) != len(want) {
		t.Fatalf("%d answers, want %d", len(got), len(want))
	}
	for i := range want {
		refused := strings.HasPrefix(got[i], `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`)
		if want[i] == answer && got[i] != answer || want[i] != answer && !refused {
			t.Errorf("the answer to %s is %s", want[i], got[i])
		}
	}
}

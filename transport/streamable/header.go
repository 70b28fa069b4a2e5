package streamable

import (
	"encoding/base64"
	"fmt"
	"math/big"
	"net/http"
	"strings"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// checkMirrors compares the headers of a revision with mirrored headers with what the
// body says (2026-07-28, Streamable HTTP, request headers). Proxies route by the headers,
// so a difference is an error, and never decided in favour of one side.
func checkMirrors(header http.Header, method string, view *host.Preview) *jsonrpc.Error {
	if err := mirrors(header, "Mcp-Method", method, true); err != nil {
		return err
	}
	if view.Named {
		if err := mirrors(header, "Mcp-Name", view.Name, false); err != nil {
			return err
		}
	}
	for _, m := range view.Mirrored {
		if err := mirrorsArgument(header, m); err != nil {
			return err
		}
	}
	return nil
}

// mirrors checks that a header is present once and has the value want. Names of methods
// and revisions are literal: those are never encoded.
func mirrors(header http.Header, name, want string, literal bool) *jsonrpc.Error {
	values := header[http.CanonicalHeaderKey(name)]
	if len(values) == 0 {
		return mismatch("the header %s is missing", name)
	}
	if len(values) > 1 {
		return mismatch("the header %s is there %d times", name, len(values))
	}
	got, err := decoded(name, values[0], literal)
	if err != nil {
		return err
	}
	if got != want {
		return mismatch("the header %s says %q, the body %q", name, got, want)
	}
	return nil
}

const (
	base64Prefix = "=?base64?"
	base64Suffix = "?="
)

// decoded returns the decoded value of a header: it may be Base64 of UTF-8 between
// =?base64? and ?=.
func decoded(name, value string, literal bool) (string, *jsonrpc.Error) {
	value = strings.Trim(value, " \t")
	for _, c := range []byte(value) {
		if c != '\t' && (c < 0x20 || c > 0x7e) {
			return "", mismatch("the header %s has a character that a header may not have", name)
		}
	}
	inside, ok := strings.CutPrefix(value, base64Prefix)
	if ok {
		inside, ok = strings.CutSuffix(inside, base64Suffix)
	}
	if !ok || literal {
		return value, nil
	}
	text, err := base64.StdEncoding.Strict().DecodeString(inside)
	if err != nil {
		return "", mismatch("the header %s is not Base64: %v", name, err)
	}
	return string(text), nil
}

// mirrorsArgument checks the header of one argument. An argument that is absent or null
// needs none. Numbers are compared by value, as clients may spell them otherwise than the
// body.
func mirrorsArgument(header http.Header, m host.Mirrored) *jsonrpc.Error {
	if m.Value == nil {
		return nil
	}
	name := "Mcp-Param-" + m.Header
	if m.Value[0] == '"' {
		return mirrors(header, name, jsonrpc.Unquote(m.Value), false)
	}
	values := header[http.CanonicalHeaderKey(name)]
	if len(values) == 1 {
		got, err := decoded(name, values[0], false)
		if err != nil {
			return err
		}
		if sameNumber(got, string(m.Value)) {
			return nil
		}
	}
	return mirrors(header, name, string(m.Value), false)
}

// sameNumber compares decimal numbers by value, so that 1e1 and 10 are equal.
func sameNumber(a, b string) bool {
	x, okX := smallRat(a)
	y, okY := smallRat(b)
	return okX && okY && x.Cmp(y) == 0
}

// maxNumber bounds the digits of a number in a header.
const maxNumber = 40

// smallRat parses a decimal number; it rejects exponents that make it huge, as a header
// of a few bytes could otherwise cost gigabytes.
func smallRat(s string) (*big.Rat, bool) {
	exponent := strings.IndexAny(s, "eE")
	if len(s) > maxNumber || strings.Trim(s, "+-.0123456789eE") != "" || exponent >= 0 && len(s)-exponent > 4 {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

// mismatch is the error for a header that says something else than the body (400, code
// -32020).
func mismatch(format string, args ...any) *jsonrpc.Error {
	reason := fmt.Sprintf(format, args...)
	return jsonrpc.Errorf(host.CodeHeaderMismatch, "Header mismatch: %s", reason).WithDetails("%s", reason)
}

// headerVersion returns the revision that the headers name: nil for none, or the name of
// one that does not exist. The header is not required before 2025-06-18.
func headerVersion(r *http.Request) (rev *host.Revision, unknown string) {
	name := strings.TrimSpace(first(r.Header["Mcp-Protocol-Version"]))
	if name == "" {
		return nil, ""
	}
	if rev = host.RevisionNamed(name); rev == nil {
		return nil, name
	}
	return rev, ""
}

// first returns the first value of a field, "" when it is absent. Unlike
// [http.Header.Get] it is given canonical names.
func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

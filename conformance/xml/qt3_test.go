package xml_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/document"
)

// TestQT3 evaluates every query of the W3C's test suite for XPath 3.1 that a host can
// run, in the directory that the variable QT3TESTS names. Assertions are queries too,
// with the query in them; values are compared outside.
func TestQT3(t *testing.T) {
	dir := os.Getenv("QT3TESTS")
	if dir == "" {
		t.Skip("QT3TESTS does not name the directory of the W3C's XPath test suite")
	}
	library, err := document.Open(document.Config{Roots: []string{dir}, MaxTime: 2 * time.Minute}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = library.Close() }()
	s := &score{known: knownFailures(t, "testdata/qt3-failures.txt")}
	errs, exact, skipped := 0, 0, map[string]int{}
	for _, c := range qt3Cases(t, dir) {
		if why := c.skipped(); why != "" {
			skipped[why]++
			continue
		}
		run := &qt3Run{library: library, c: c}
		run.result, run.err = run.query(t.Context(), c.Test.Text)
		got := "fails"
		if run.all(t.Context(), c.Result.Parts) {
			got = "passes"
		}
		s.check(t, c.set+"/"+c.Name, "passes", got, run.err)
		if wrong, ok := errors.AsType[*document.QueryError](run.err); ok {
			errs++
			if wrong.Code == "" {
				t.Errorf("%s: an error without a code: %v", c.Name, wrong)
			}
			if c.expects(wrong.Code) {
				exact++
			}
		}
	}
	for _, why := range slices.Sorted(maps.Keys(skipped)) {
		t.Logf("%5d skipped: %s", skipped[why], why)
	}
	t.Logf("%d errors, %d with the code that is expected", errs, exact)
	s.report(t)
}

// A qt3Run is the evaluation of one case.
type qt3Run struct {
	library *document.Library
	c       qt3Case
	result  document.QueryResult
	err     error
}

// query evaluates an expression in the environment of the case.
func (r *qt3Run) query(ctx context.Context, text string) (document.QueryResult, error) {
	e := r.c.environment
	for _, p := range slices.Backward(e.Params) {
		text = fmt.Sprintf("let $%s := (%s) return (%s\n)", p.Name, p.Select, text)
	}
	request := document.QueryRequest{Document: "<empty/>", Query: text, Namespaces: map[string]string{}}
	for _, n := range e.Namespaces {
		request.Namespaces[n.Prefix] = n.URI
	}
	if len(e.Sources) > 0 {
		request.Document = filepath.Join(e.dir, e.Sources[0].File)
	}
	return r.library.Query(ctx, request)
}

// holds evaluates an expression in which $result is the result of the case.
func (r *qt3Run) holds(ctx context.Context, expression string) bool {
	return r.value(ctx, "boolean(("+expression+"\n))") == "true"
}

// value returns the single value of an expression about $result, "" after an error.
func (r *qt3Run) value(ctx context.Context, expression string) string {
	got, err := r.query(ctx, "let $result := ("+r.c.Test.Text+"\n) return "+expression)
	if err != nil || len(got.Items) != 1 {
		return ""
	}
	return got.Items[0].Value
}

func (r *qt3Run) all(ctx context.Context, parts []qt3Assertion) bool {
	return !slices.ContainsFunc(parts, func(a qt3Assertion) bool { return !r.assert(ctx, a) })
}

// Expressions about $result for the assertions with one argument.
var qt3Forms = map[string]string{
	"assert":             "%s",
	"assert-eq":          "$result eq (%s)",
	"assert-count":       "count($result) eq (%s)",
	"assert-deep-eq":     "deep-equal($result, (%s))",
	"assert-type":        "$result instance of %s",
	"assert-permutation": "let $e := (%s) return count($e) eq count($result) and (every $i in $e satisfies count($e[deep-equal(., $i)]) eq count($result[deep-equal(., $i)]))",
}

func (r *qt3Run) assert(ctx context.Context, a qt3Assertion) bool {
	name := a.XMLName.Local
	switch name {
	case "all-of":
		return r.all(ctx, a.Parts)
	case "any-of":
		return slices.ContainsFunc(a.Parts, func(p qt3Assertion) bool { return r.assert(ctx, p) })
	case "not":
		return !r.all(ctx, a.Parts)
	case "error":
		_, limit := errors.AsType[*document.LimitError](r.err)
		return r.err != nil && (!limit || a.Code == "XPDY0130") // which stands for limits
	}
	if r.err != nil {
		return false
	}
	if form, ok := qt3Forms[name]; ok {
		return r.holds(ctx, fmt.Sprintf(form, a.Text+"\n"))
	}
	switch name {
	case "assert-true", "assert-false":
		return r.holds(ctx, "$result instance of xs:boolean and $result eq "+strings.TrimPrefix(name, "assert-")+"()")
	case "assert-empty":
		return r.holds(ctx, "empty($result)")
	case "assert-string-value":
		return r.stringValue(ctx, a)
	case "assert-xml":
		return r.markup(ctx, a)
	case "serialization-matches":
		return r.holds(ctx, fmt.Sprintf("matches(serialize($result), %s, %s)", literal(a.Text), literal(a.Flags)))
	case "assert-serialization-error":
		_, err := r.query(ctx, "serialize(("+r.c.Test.Text+"\n))")
		return err != nil
	}
	return false
}

func (r *qt3Run) stringValue(ctx context.Context, a qt3Assertion) bool {
	got := r.value(ctx, `string-join(for $r in $result return string($r), " ")`)
	want := a.Text
	if a.Normalize == "true" {
		got, want = strings.Join(strings.Fields(got), " "), strings.Join(strings.Fields(want), " ")
	}
	return got == want
}

// markup compares a sequence of nodes with XML by what both are when they are parsed.
func (r *qt3Run) markup(ctx context.Context, a qt3Assertion) bool {
	want := a.Text
	if a.File != "" {
		text, err := os.ReadFile(filepath.Join(r.c.dir, a.File))
		if err != nil {
			return false
		}
		want = string(text)
	}
	if _, rest, ok := strings.Cut(want, "?>"); ok && strings.HasPrefix(want, "<?xml") {
		want = rest
	}
	want = strings.TrimSpace(want)
	return r.holds(ctx, `let $m := serialize($result, map{"omit-xml-declaration": true()}) return $m eq `+literal(want)+
		" or deep-equal(parse-xml-fragment($m), parse-xml-fragment("+literal(want)+"))")
}

// literal writes a text as a string literal of XPath.
func literal(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }

package document_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/document"
)

// The engine tries every way to share out the elements among the repetitions,
// and nothing interrupts it. The caller is free after its time all the same.
func TestValidationThatTakesLong(t *testing.T) {
	schema := schemaOf(`<xs:element name="r"><xs:complexType><xs:sequence maxOccurs="100"><xs:element name="a" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>`)
	schema = strings.Replace(schema, "<xs:schema ", `<xs:schema xmlns:vc="http://www.w3.org/2007/XMLSchema-versioning" vc:minVersion="1.1" `, 1)
	text := "<r>" + strings.Repeat("<a/>", 400) + "<b/></r>"
	lib := open(t, document.Config{MaxTime: 50 * time.Millisecond, Workers: 2})
	start := time.Now()
	_, err := lib.Validate(t.Context(), document.ValidateRequest{Document: text, Schema: schema})
	took := time.Since(start)
	limit, ok := errors.AsType[*document.LimitError](err)
	if !ok || limit.What != "processor time" {
		t.Fatalf("got %v after %v, want a LimitError", err, took)
	}
	if took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
	// The other worker answers meanwhile.
	if _, err := lib.Query(t.Context(), document.QueryRequest{Document: "<a/>", Query: "/a"}); err != nil {
		t.Error(err)
	}
}

// Queries notice that their caller leaves.
func TestQueryThatIsCancelled(t *testing.T) {
	lib := open(t, document.Config{})
	text := numbers(3000)
	for _, version := range []string{"1.0", "3.1"} {
		for _, query := range []string{
			"count(//b[count(//b[. > 5][count(//b) > 3]) > 2])",
			"//b[following::b[preceding::b[following::b[. = 'x']]]]",
		} {
			ctx, cancel := context.WithCancel(t.Context())
			timer := time.AfterFunc(100*time.Millisecond, cancel)
			_, err := lib.Query(ctx, document.QueryRequest{Document: text, Query: query, Version: version})
			timer.Stop()
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s in %s: got %v, want %v", query, version, err, context.Canceled)
			}
		}
	}
	for start := time.Now(); lib.Stats().Abandoned > 0; runtime.Gosched() {
		if time.Since(start) > time.Minute {
			t.Fatal("abandoned queries go on")
		}
	}
}

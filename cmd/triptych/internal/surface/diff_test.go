package surface

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDiffOfSurfaces changes each part of a tool that clients see.
func TestDiffOfSurfaces(t *testing.T) {
	parse := func(tools ...string) map[string]Tool {
		t.Helper()
		all := map[string]Tool{}
		for _, tool := range tools {
			if err := Add(all, json.RawMessage(tool)); err != nil {
				t.Fatal(err)
			}
		}
		return all
	}
	before := parse(
		`{"name":"a/same","description":"<d>","inputSchema":{"properties":{"x":{"type":"string"}}}}`,
		`{"name":"b_gone"}`,
		`{"name":"c","title":"T","description":"d","annotations":{"readOnlyHint":true},"outputSchema":{"type":"object"},
		  "inputSchema":{"properties":{"p":{"type":"string"},"q":{"type":"string"},"r":{"type":"string"},"s":{"type":"string"}},"required":["q"]}}`,
	)
	after := parse(
		`{"name":"a_same", "description":"\u003cd\u003e", "inputSchema":{"properties":{"x":{ "type":"string"}}}}`,
		`{"name":"c","title":"U","description":"e","annotations":{"readOnlyHint":false},"outputSchema":{"type":"array"},
		  "inputSchema":{"properties":{"q":{"type":"string"},"r":{"type":"string"},"s":{"type":"integer"},"t":{"type":"string"}},"required":["r"]}}`,
		`{"name":"d"}`,
	)
	want := []string{
		"- b_gone",
		"~ c: title changed, description changed, hints changed, argument p removed, argument q became optional, " +
			"argument r became required, argument s changed, argument t added, structured answer changed",
		"+ d",
	}
	if diff := cmp.Diff(want, Diff(before, after)); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

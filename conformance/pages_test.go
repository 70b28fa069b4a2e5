package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

// manyRulesets is more than two pages, and small enough for a test.
const manyRulesets = 1201

// A page is one answer of resources/list, of any revision.
type page struct {
	Result struct {
		Resources []struct {
			Name string `json:"name"`
		} `json:"resources"`
		Next *string `json:"nextCursor"`
	} `json:"result"`
}

// layRulesets writes rulesets r0000 and on, created in that order.
func layRulesets(t *testing.T, data string, n int) (names []string) {
	t.Helper()
	dir := filepath.Join(data, "rulesets")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		name, at := fmt.Sprintf("r%04d", i), fmt.Sprintf("2025-10-29 %02d:%02d:00", i/60, i%60)
		text := fmt.Sprintf("---\nname: %s\ndescription: d\ntags: []\ncreated_at: %s\nlast_modified: %s\n---\n\nx\n", name, at, at)
		if err := os.WriteFile(filepath.Join(dir, name+".md"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

func listPage(t *testing.T, r mcptest.Transport, meta string, cursor *string) page {
	t.Helper()
	params := []string{}
	if meta != "" {
		params = append(params, meta)
	}
	if cursor != nil {
		params = append(params, fmt.Sprintf(`"cursor":%q`, *cursor))
	}
	raw := roundTrip(t, r, `{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{`+strings.Join(params, ",")+`}}`)
	var p page
	if err := json.Unmarshal([]byte(raw), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *page) names() (all []string) {
	for _, r := range p.Result.Resources {
		all = append(all, r.Name)
	}
	return all
}

// Following the cursors gives every resource once and in order, in every
// revision. One client gives up after 64 pages, which must hold 10,000.
func TestPagesHoldEverything(t *testing.T) {
	data := t.TempDir()
	want := layRulesets(t, data, manyRulesets)
	for _, meta := range []string{"", modernMeta} {
		p := startStdio(t, data, "--families=rulesets")
		var got []string
		pages := 0
		for cursor := (*string)(nil); pages == 0 || cursor != nil; pages++ {
			list := listPage(t, p, meta, cursor)
			got = append(got, list.names()...)
			cursor = list.Result.Next
		}
		if !slices.Equal(got, want) {
			t.Errorf("_meta %q: got %d names, want %d, each once and in order", meta, len(got), len(want))
		}
		if most := manyRulesets*64/10_000 + 1; pages < 2 || pages > most {
			t.Errorf("_meta %q: %d pages, want 2 to %d", meta, pages, most)
		}
		closeTransport(t, p)
	}
}

// A cursor holds for its own list only, outlives the process that gave it, and
// neither repeats nor loses what stays when the list changes between pages.
func TestCursorsSurvive(t *testing.T) {
	data := t.TempDir()
	want := layRulesets(t, data, manyRulesets)
	p := startStdio(t, data, "--families=rulesets")
	first := listPage(t, p, "", nil)
	cursor := first.Result.Next
	if cursor == nil {
		t.Fatal("the first page has no cursor")
	}
	got := roundTrip(t, p, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":%q}}`, *cursor))
	if !strings.Contains(got, `"error":{"code":-32602,`) {
		t.Errorf("a cursor of another list: got %s, want -32602", got)
	}
	last := want[len(first.Result.Resources)-1]
	for i, name := range []string{want[0], last} {
		want := textResultLine(i, "Successfully deleted ruleset '"+name+"'")
		if got := roundTrip(t, p, callLine(i, "delete_ruleset", `{"name":"`+name+`"}`)); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
	closeTransport(t, p)
	p = startStdio(t, data, "--families=rulesets")
	names := first.names()
	for cursor != nil {
		next := listPage(t, p, "", cursor)
		names = append(names, next.names()...)
		cursor = next.Result.Next
	}
	if !slices.Equal(names, want) {
		t.Errorf("got %d names, want %d, each once and in order", len(names), len(want))
	}
	closeTransport(t, p)
}

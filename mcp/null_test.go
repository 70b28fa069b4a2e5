package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/mcp/host"
)

// TestNullIsLeftOut sends requests of every kind with each member that may be left out as
// null, to every revision: the answer is that to the request without it.
func TestNullIsLeftOut(t *testing.T) {
	const list = `"cursor":null|"cursor":""`
	requests := []struct{ method, params, optional string }{
		{"initialize", ``, `"capabilities":null|"clientInfo":null|"protocolVersion":null`},
		{"ping", ``, ``},
		{"server/discover", ``, ``},
		{"tools/list", ``, list},
		{"tools/call", `"name":"house/bytes"`, `"arguments":null|"inputResponses":null|"requestState":null`},
		{"resources/list", ``, list},
		{"resources/templates/list", ``, list},
		{"resources/read", `"uri":"house://hall"`, ``},
		{"prompts/list", ``, list},
		{"skills/list", ``, list},
		{"completion/complete", `"ref":{"type":"ref/resource","uri":"house://{room}"},"argument":{"name":"room","value":""}`, `"context":null|"context":{"arguments":null}`},
	}
	const claim = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}%s}`
	versions := []string{"", "2026-07-28"}
	for _, rev := range host.Revisions() {
		if !rev.Modern {
			versions = append(versions, rev.Name)
		}
	}
	for _, version := range versions {
		for _, r := range requests {
			params := func(more, meta string) string {
				members := []string{r.params, more, meta}
				if version == "2026-07-28" {
					members[2] = fmt.Sprintf(claim, meta)
				}
				return "{" + strings.Trim(strings.ReplaceAll(strings.Join(members, ","), ",,", ","), ",") + "}"
			}
			metas := []string{`"_meta":null`, `"_meta":{"progressToken":null}`}
			if version == "2026-07-28" {
				metas = []string{`,"progressToken":null`, `,"io.modelcontextprotocol/clientInfo":null`, `,"io.modelcontextprotocol/logLevel":null`}
			}
			variants := make([]string, 0, 8)
			for _, meta := range metas {
				variants = append(variants, params("", meta))
			}
			for more := range strings.SplitSeq(r.optional, "|") {
				variants = append(variants, params(more, ""))
			}
			want := nullAnswer(t, version, r.method, params("", ""))
			for _, with := range variants {
				if got := nullAnswer(t, version, r.method, with); got != want {
					t.Errorf("%s %s %s: got %s, want %s", version, r.method, with, got, want)
				}
			}
		}
	}
}

// nullAnswer returns the answer to one request of a fresh session.
func nullAnswer(t *testing.T, version, method, params string) string {
	t.Helper()
	_, h, _ := connect(t, host.Local())
	if version != "" && version != "2026-07-28" {
		initialize(t, h, version, "{}")
	}
	return ask(t, h, method, params)
}

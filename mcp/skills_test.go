package mcp_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/mcptest"
	"github.com/triptych-mcp/triptych/mcp/skill"
)

const mainText = "---\nname: pdf-processing\ndescription: Extract text\n---\n\nRead references/FORMS.md\n"

func skillTable(t *testing.T, family string) *mcp.Table {
	source, err := skill.Source(family, "skills:read", fstest.MapFS{
		"pdf-processing/SKILL.md":            {Data: []byte(mainText)},
		"pdf-processing/references/FORMS.md": {Data: []byte("forms")},
		"pdf-processing/logo.png":            {Data: []byte{0x89, 'P', 'N', 'G'}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return &mcp.Table{Family: family, Documented: new(mcp.Documented), Resources: []mcp.ResourceSource{source}}
}

// The methods of the skills extension are there for all clients that name a revision.
// Expected digests: printf '…' | sha256sum.
func TestSkills(t *testing.T) {
	const entry = `{"uri":"skill://docs/pdf-processing/SKILL.md","frontmatter":{"name":"pdf-processing","description":"Extract text"},"resources":[` +
		`{"uri":"skill://docs/pdf-processing/SKILL.md","digest":"sha256:c3923f35547040415b34c47a1be0149cb08de5905366bc710097b5a052a2ef0b","size":81},` +
		`{"uri":"skill://docs/pdf-processing/logo.png","digest":"sha256:0f4636c78f65d3639ece5a064b5ae753e3408614a14fb18ab4d7540d2c248543","size":4},` +
		`{"uri":"skill://docs/pdf-processing/references/FORMS.md","digest":"sha256:8bec8757f662f0f3cab90d3c7cfbf69ce66e4e120b0f8fb911aa1022798b3edf","size":5}]}`
	for _, rev := range host.Revisions() {
		c := mcptest.Connect(t, skillTable(t, "docs"), skillTable(t, "more"))
		if rev.Name == "" {
			if _, err := c.Ask("skills/list", nil); err == nil || err.Code != jsonrpc.CodeMethodNotFound {
				t.Errorf("baseline: %v", err)
			}
			continue
		}
		if info := string(c.Initialize(rev.Name)); !strings.Contains(info, `"extensions":{"io.modelcontextprotocol/skills":{"directoryRead":true}}`) {
			t.Errorf("%s: %s", rev.Name, info)
		}
		list := c.List("skills")
		if len(list) != 2 || string(list[0]) != entry {
			t.Errorf("%s: got %s", rev.Name, list)
		}
		got, err := c.Ask("skills/get", map[string]any{"uri": "skill://docs/pdf-processing/SKILL.md"})
		var answer struct{ Skill json.RawMessage }
		if err != nil || json.Unmarshal(got, &answer) != nil || string(answer.Skill) != entry {
			t.Errorf("%s: %s %v", rev.Name, got, err)
		}
	}
}

// Folders are listed by their direct children, and everything else has the code that
// the extension asks for in every revision.
func TestSkillFolders(t *testing.T) {
	for _, rev := range host.Revisions()[1:] {
		c := mcptest.Connect(t, skillTable(t, "docs"))
		c.Initialize(rev.Name)
		for uri, want := range map[string]string{
			"skill://docs":                           `[{"uri":"skill://docs/pdf-processing","name":"pdf-processing","mimeType":"inode/directory"}]`,
			"skill://docs/pdf-processing/references": `[{"uri":"skill://docs/pdf-processing/references/FORMS.md","name":"FORMS.md","mimeType":"text/markdown","size":5}]`,
			"skill://docs/pdf-processing": `[{"uri":"skill://docs/pdf-processing/SKILL.md","name":"SKILL.md","mimeType":"text/markdown","size":81},` +
				`{"uri":"skill://docs/pdf-processing/logo.png","name":"logo.png","mimeType":"image/png","size":4},` +
				`{"uri":"skill://docs/pdf-processing/references","name":"references","mimeType":"inode/directory"}]`,
		} {
			got, err := c.Ask("resources/directory/read", map[string]any{"uri": uri})
			var answer struct{ Resources json.RawMessage }
			if err != nil || json.Unmarshal(got, &answer) != nil || string(answer.Resources) != want {
				t.Errorf("%s: %s: %s %v", rev.Name, uri, got, err)
			}
		}
		for _, uri := range []string{
			"skill://docs/pdf-processing/SKILL.md", "skill://docs/pdf-processing/none", "skill://docs/none", "skill://docs/../docs",
			"skill://none", "none://", "skill://docs/pdf-processing/references/",
		} {
			if _, err := c.Ask("resources/directory/read", map[string]any{"uri": uri}); err == nil || err.Code != jsonrpc.CodeInvalidParams {
				t.Errorf("%s: the folder %s: %v", rev.Name, uri, err)
			}
			if strings.HasSuffix(uri, "SKILL.md") {
				continue
			}
			if _, err := c.Ask("skills/get", map[string]any{"uri": uri}); err == nil || err.Code != jsonrpc.CodeInvalidParams {
				t.Errorf("%s: the skill %s: %v", rev.Name, uri, err)
			}
		}
	}
}

// Files are read as they are: texts as texts, other bytes as blobs.
func TestSkillFiles(t *testing.T) {
	c := mcptest.Connect(t, skillTable(t, "docs"))
	c.Initialize("2026-07-28")
	main, err := c.Read("skill://docs/pdf-processing/SKILL.md")
	if err != nil || main[0].Text != mainText || main[0].MIMEType != "text/markdown" {
		t.Errorf("got %+v, %v", main, err)
	}
	logo, err := c.Read("skill://docs/pdf-processing/logo.png")
	if err != nil || string(logo[0].Blob) != "\x89PNG" || logo[0].MIMEType != "image/png" {
		t.Errorf("got %+v, %v", logo, err)
	}
	if _, err := c.Read("skill://docs/pdf-processing/../pdf-processing/SKILL.md"); err == nil {
		t.Error("a path with .. was read")
	}
}

// Skills need the scope of their source.
func TestSkillScope(t *testing.T) {
	c := mcptest.Config{Principal: host.Principal{ID: "key", Scopes: []mcp.Scope{"other"}}}.Connect(t, skillTable(t, "docs"))
	c.Initialize("2026-07-28")
	if list := c.List("skills"); len(list) != 0 {
		t.Errorf("listed: %s", list)
	}
	for _, method := range []string{"skills/get", "resources/directory/read", "resources/read"} {
		if _, err := c.Ask(method, map[string]any{"uri": "skill://docs/pdf-processing/SKILL.md"}); err == nil || err.Code != host.CodePermissionDenied {
			t.Errorf("%s: %v", method, err)
		}
	}
}

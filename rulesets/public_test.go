package rulesets

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"path"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/internal/filestore"
	"github.com/triptych-mcp/triptych/rulesets/internal/memstore"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// publicIndex returns the entries of the index.
func publicIndex(t *testing.T, p *PublicSkills) []publicSkill {
	t.Helper()
	p.index = nil // read the store again
	text, err := p.Index(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var index struct {
		Schema string `json:"$schema"`
		Skills []publicSkill
	}
	if err := json.Unmarshal(text, &index); err != nil || index.Schema != "https://schemas.agentskills.io/discovery/0.2.0/schema.json" {
		t.Fatalf("the index %s, %v", text, err)
	}
	return index.Skills
}

// download returns the artifact of an entry, whose digest is checked.
func download(t *testing.T, p *PublicSkills, s publicSkill) []byte {
	t.Helper()
	dir, file := path.Split(s.URL)
	version := path.Base(dir)
	data, ok, err := p.Artifact(t.Context(), s.Name, version, file)
	sum := sha256.Sum256(data)
	if err != nil || !ok || s.Digest != "sha256:"+hex.EncodeToString(sum[:]) {
		t.Fatalf("%s: %d bytes, %v, %v", s.URL, len(data), ok, err)
	}
	return data
}

// An old version has the same bytes after ten more, in a folder that people edit as well.
func TestPublicVersionsStay(t *testing.T) {
	for name, store := range map[string]ruleset.Store{
		"memory": memstore.New(time.Now), "files": filestore.Open(t.TempDir(), slog.New(slog.DiscardHandler), time.Now),
	} {
		t.Run(name, func(t *testing.T) {
			defer func() { _ = store.Close() }()
			apply := func(ops ...ruleset.Operation) {
				t.Helper()
				if _, err := store.Apply(t.Context(), ops, ruleset.ApplyOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			release := ruleset.Operation{Name: "pdf_forms", Move: &ruleset.LabelMove{Label: "public", Newest: true}}
			files := []ruleset.FileChange{{Path: "scripts/fill.py", Data: []byte("print(1)\n")}}
			apply(ruleset.Operation{Name: "pdf_forms", Create: &ruleset.Draft{Name: "pdf_forms", Description: "Fill forms", Markdown: "# 0\n", Files: files}}, release)
			apply(ruleset.Operation{Name: "secret", Create: &ruleset.Draft{Name: "secret", Description: "d", Markdown: "s"}})
			p := NewPublicSkills(store, "public", time.Now)
			first := publicIndex(t, p)
			if len(first) != 1 || first[0].Type != "archive" || first[0].URL != "/.well-known/agent-skills/pdf-forms/v1/pdf-forms.zip" {
				t.Fatalf("the index has %+v", first)
			}
			old := download(t, p, first[0])
			z, err := zip.NewReader(bytes.NewReader(old), int64(len(old)))
			if err != nil || len(z.File) != 2 || z.File[0].Name != "SKILL.md" || z.File[1].Name != "scripts/fill.py" {
				t.Fatalf("the archive %+v, %v", z, err)
			}
			f, err := z.File[1].Open()
			if err != nil {
				t.Fatal(err)
			}
			if text, err := io.ReadAll(f); string(text) != "print(1)\n" || err != nil {
				t.Errorf("%q, %v", text, err)
			}
			for i := range 10 {
				text := fmt.Sprintf("# %d\n", i+1)
				changed := []ruleset.FileChange{{Path: "scripts/fill.py", Data: []byte(text)}}
				apply(ruleset.Operation{Name: "pdf_forms", Update: &ruleset.Patch{Markdown: &text, Files: changed}}, release)
			}
			if again := download(t, p, first[0]); !bytes.Equal(again, old) {
				t.Error("the first version has other bytes")
			}
			if now := publicIndex(t, p); len(now) != 1 || now[0].URL != "/.well-known/agent-skills/pdf-forms/v11/pdf-forms.zip" {
				t.Errorf("the index has %+v", now)
			}
			none := "# unreleased\n"
			apply(ruleset.Operation{Name: "pdf_forms", Update: &ruleset.Patch{Markdown: &none}})
			for _, place := range [][3]string{
				{"pdf-forms", "v12", "pdf-forms.zip"}, {"secret", "v1", "SKILL.md"}, {"pdf-forms", "v01", "pdf-forms.zip"},
				{"pdf-forms", "v1", "SKILL.md"}, {"pdf_forms", "v1", "pdf-forms.zip"}, {"..", "v1", "x"}, {"pdf-forms", "1", "pdf-forms.zip"},
			} {
				if _, ok, err := p.Artifact(t.Context(), place[0], place[1], place[2]); ok || err != nil {
					t.Errorf("%v is public, %v", place, err)
				}
			}
		})
	}
}

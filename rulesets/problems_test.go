package rulesets

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/rulesets/internal/filestore"
)

// openFolder is the family on a folder with these files.
func openFolder(t *testing.T, files map[string]string) *house {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	h := &house{t: t, store: filestore.Open(dir, slog.New(slog.DiscardHandler), time.Now)}
	server, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, newTools(h.store, LabelRules{}, Scan{mode: "warn"}, slog.New(slog.DiscardHandler)).table())
	if err != nil {
		t.Fatal(err)
	}
	h.handler = server.Bind(mcp.Caller{Principal: mcp.Local(), Connection: true}, nil)
	return h
}

// Files that are not served are in a resource and at the end of the list, for clients
// that negotiated a revision; the documented answers stay as they are.
func TestProblemsAreShown(t *testing.T) {
	files := map[string]string{"good.md": "---\n---\n", "Bad-Name.md": "---\n---\n", "plain.md": "# text"}
	h := openFolder(t, files)
	if texts := h.texts("list_rulesets", "{}"); len(texts) != 1 || strings.Contains(texts[0], "Bad-Name") {
		t.Errorf("the baseline lists %q", texts)
	}
	if list := h.ask("resources/list", "{}"); strings.Contains(list, problemsURI) {
		t.Errorf("the baseline lists %s", list)
	}
	h = openFolder(t, files).negotiated()
	misnamed := "Bad-Name.md: its name is not snake_case with .md, such as python_style_guide.md"
	texts := h.texts("list_rulesets", "{}")
	if want := "2 file(s) are not served, such as " + misnamed + ". Read " + problemsURI + " for all"; texts[len(texts)-1] != want {
		t.Errorf("the list ends with %q, want %q", texts[len(texts)-1], want)
	}
	if list := h.ask("resources/list", "{}"); !strings.Contains(list, problemsURI) {
		t.Errorf("resources: %s", list)
	}
	read := h.ask("resources/read", `{"uri":"`+problemsURI+`"}`)
	if want := misnamed + `\nplain.md: it has no front matter\n`; !strings.Contains(read, want) {
		t.Errorf("read %s, want %s", read, want)
	}
	h = openFolder(t, map[string]string{"good.md": files["good.md"]}).negotiated()
	if texts := h.texts("list_rulesets", "{}"); strings.Contains(strings.Join(texts, ""), "not served") {
		t.Errorf("without problems: %q", texts)
	}
	if list := h.ask("resources/list", "{}"); strings.Contains(list, problemsURI) {
		t.Errorf("without problems: %s", list)
	}
}

package rulesets

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
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
	h.handler = server.Bind(host.Caller{Principal: host.Local(), Connection: true}, nil)
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

// The files that are not served are counted for metrics, in all folders of the store.
func TestBrokenFiles(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(one, "good.md"): "---\n---\n", filepath.Join(one, "Bad-Name.md"): "---\n---\n", filepath.Join(one, "notes.txt"): "text",
		filepath.Join(two, "plain.md"): "# text",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		stores []string
		want   int
	}{{[]string{one}, 1}, {[]string{one, two}, 2}, {[]string{"memory:", one}, 1}, {[]string{"memory:"}, 0}} {
		c := new(Config)
		env := host.Env{Logger: slog.New(slog.DiscardHandler), Now: time.Now, Data: t.TempDir(), Store: tt.stores[0], FurtherStores: tt.stores[1:], Getenv: func(string) string { return "" }}
		table, err := c.Open(t.Context(), env)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := c.BrokenFiles(t.Context()); got != tt.want || err != nil {
			t.Errorf("%v: %d, %v, want %d", tt.stores, got, err, tt.want)
		}
		if err := table.Close(); err != nil {
			t.Error(err)
		}
	}
}

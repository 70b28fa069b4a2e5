package auditcmd

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/transport/audit"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// An exported trail is that of one server in a store, and a folder.
type exported struct {
	t      *testing.T
	cfg    audit.ValkeyConfig
	folder string
	files  map[string]string // that are there, by their paths without the chain's name
}

func newExported(t *testing.T) *exported {
	client := valkeytest.Client(t, "redis://"+valkeytest.Start(t).Addr)
	return &exported{t, audit.ValkeyConfig{Client: client, KeyDir: filepath.Join(t.TempDir(), "audit"), Name: "one"}, filepath.Join(t.TempDir(), "exported"), nil}
}

// add adds records of a key.
func (e *exported) add(key string, n int) {
	e.t.Helper()
	l := audit.NewValkey(e.cfg)
	for range n {
		seq, err := l.Append(audit.Record{Key: key})
		if err == nil {
			err = l.Commit(e.t.Context(), seq)
		}
		if err != nil {
			e.t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		e.t.Fatal(err)
	}
}

// export exports what is new, and expects that no file that was there has changed, and that
// each file has records of these keys.
func (e *exported) export(want map[string]string) {
	e.t.Helper()
	to, err := openFolder(e.folder)
	if err == nil {
		_, err = (&exporter{to: to}).run(e.t.Context(), audit.NewValkey(e.cfg))
	}
	if err != nil {
		e.t.Fatal(err)
	}
	now, got := map[string]string{}, map[string]string{}
	if err := filepath.WalkDir(e.folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == exportState {
			return err
		}
		text, err := os.ReadFile(path)
		chain := filepath.Base(filepath.Dir(path))
		name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		if _, n, ok := strings.Cut(chain, "-"); ok {
			name = n + "/" + name
		}
		now[name], got[name] = string(text), keysIn(e.t, text)
		return err
	}); err != nil {
		e.t.Fatal(err)
	}
	for name, text := range e.files {
		if now[name] != text {
			e.t.Errorf("%s was changed:\n%s\nwas:\n%s", name, now[name], text)
		}
	}
	if !maps.Equal(got, want) {
		e.t.Errorf("files %v, want %v", got, want)
	}
	e.files = now
}

// keysIn returns the keys of records one behind the other.
func keysIn(t *testing.T, text []byte) (all string) {
	t.Helper()
	for line := range bytes.Lines(text) {
		var r struct{ Key string }
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		all += r.Key
	}
	return all
}

// An export that was killed before it had noted what it wrote leaves a file that the next one
// does not change: what is new goes into another one.
func TestExportThatWasKilled(t *testing.T) {
	e := newExported(t)
	e.add("a", 2)
	e.export(map[string]string{"000000000001": "aa"})
	for _, state := range []string{"none", "of the file before"} {
		if err := os.Remove(filepath.Join(e.folder, exportState)); err != nil {
			t.Fatal(err)
		}
		e.add("b", 1)
		if state == "none" {
			e.export(map[string]string{"000000000001": "aa", "000000000003": "b"})
		} else {
			e.export(map[string]string{"000000000001": "aa", "000000000003": "b", "000000000004": "b"})
		}
	}
}

// The records of a chain that starts over are all exported, into a folder of their own.
func TestExportOfAChainThatBeginsAnew(t *testing.T) {
	for name, forgets := range map[string]bool{"position": false, "files only": true} {
		t.Run(name, func(t *testing.T) {
			e := newExported(t)
			e.add("a", 3)
			e.export(map[string]string{"000000000001": "aaa"})
			if err := e.cfg.Client.FlushAll(t.Context()).Err(); err != nil {
				t.Fatal(err)
			}
			e.add("b", 2)
			if forgets {
				if err := os.Remove(filepath.Join(e.folder, exportState)); err != nil {
					t.Fatal(err)
				}
			}
			e.export(map[string]string{"000000000001": "aaa", "2/000000000001": "bb"})
			e.add("c", 2)
			want := map[string]string{"000000000001": "aaa", "2/000000000001": "bb", "2/000000000003": "cc"}
			e.export(want)
			e.export(want)
		})
	}
}

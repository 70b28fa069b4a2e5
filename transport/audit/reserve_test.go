package audit_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/transport/audit"
)

// TestReserve: while a chain grows there is room ahead in its file, which a
// killed process leaves there. It is nothing that was promised, nothing to
// repair, and goes when the chain is closed.
func TestReserve(t *testing.T) {
	dir := t.TempDir()
	trail := audit.New(audit.Config{Dir: dir})
	add(t, trail, 1)
	killed := t.TempDir()
	if err := os.CopyFS(killed, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	text := only(t, killed)
	if kept := bytes.TrimRight(text, " "); len(text)-len(kept) < 100_000 || !bytes.HasSuffix(kept, []byte("}\n")) {
		t.Errorf("%d bytes are reserved behind %q", len(text)-len(kept), kept[len(kept)-20:])
	}
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	if text := only(t, dir); !bytes.HasSuffix(text, []byte("}\n")) {
		t.Errorf("a closed file ends with %q", text[len(text)-20:])
	}
	for n := range uint64(3) {
		report, err := audit.Verify(t.Context(), killed)
		if err != nil || report.Err() != nil {
			t.Fatal(err, report.Err())
		}
		if c := report.Chains[0]; c.Torn != 0 || c.Repaired != 0 || c.Last != n+1 {
			t.Errorf("got %+v, want %d records and nothing torn or repaired", c, n+1)
		}
		next := audit.New(audit.Config{Dir: killed})
		add(t, next, n+2)
		if n < 2 { // the last one is killed, too
			if err := next.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func add(t *testing.T, trail *audit.Log, want uint64) {
	t.Helper()
	seq, err := trail.Append(audit.Record{Key: "k", Method: "m", Outcome: audit.OK})
	if err != nil || seq != want {
		t.Fatalf("record %d, %v, want %d", seq, err, want)
	}
	if err := trail.Commit(t.Context(), seq); err != nil {
		t.Fatal(err)
	}
}

// only is the text of the one file of the one chain.
func only(t *testing.T, dir string) []byte {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*", "*.jsonl"))
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	text, err := os.ReadFile(all[0])
	if err != nil {
		t.Fatal(err)
	}
	return text
}

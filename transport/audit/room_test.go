package audit_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/transport/audit"
)

// TestRoom: while a chain grows there is room ahead in its file, which a
// killed process leaves there. It is nothing that was promised, nothing to
// repair, and goes when the chain is closed.
func TestRoom(t *testing.T) {
	dir := t.TempDir()
	trail := audit.New(audit.Config{Dir: dir, Always: true})
	add(t, trail, 1)
	killed := t.TempDir()
	if err := os.CopyFS(killed, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	text := only(t, killed)
	if kept := bytes.TrimRight(text, "\n"); len(text)-len(kept) < 50_000 || !bytes.HasSuffix(kept, []byte("}")) {
		t.Errorf("there is room for %d bytes behind %q", len(text)-len(kept), kept[len(kept)-20:])
	}
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	if text := only(t, dir); !bytes.HasSuffix(text, []byte("}\n")) || bytes.Contains(text, []byte("\n\n")) {
		t.Errorf("a closed file ends with %q", text[len(text)-20:])
	}
	for n := range uint64(3) {
		report, err := audit.Verify(t.Context(), killed)
		if err != nil || report.Err() != nil {
			t.Fatal(err, report.Err())
		}
		if c := report.Chains[0]; c.Torn != 0 || c.Recovered != 0 || c.Last != n+1 {
			t.Errorf("got %+v, want %d records and nothing torn or repaired", c, n+1)
		}
		next := audit.New(audit.Config{Dir: killed, Always: true})
		add(t, next, n+2)
		if n < 2 { // the last one is killed, too
			if err := next.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestEndWithoutBeginning: of a group whose write was under way, disks may have
// the end and not the beginning, and readers may see that. Neither is tampering;
// the next process cuts it off.
func TestEndWithoutBeginning(t *testing.T) {
	dir := t.TempDir()
	trail := audit.New(audit.Config{Dir: dir, Always: true})
	add(t, trail, 1)
	add(t, trail, 2)
	before := len(bytes.TrimRight(only(t, dir), "\n")) + 1
	add(t, trail, 3)
	killed := t.TempDir()
	if err := os.CopyFS(killed, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	head, path := headOf(t, killed), pathOf(t, killed)
	text := only(t, killed)
	after := len(bytes.TrimRight(text, "\n")) + 1
	copy(text[before:before+100], bytes.Repeat([]byte{'\n'}, 100))
	write(t, path, text)
	report, err := audit.Verify(t.Context(), killed)
	if err != nil || report.Err() == nil {
		t.Fatalf("record 3 was promised and is gone; got %+v, %v", report, err)
	}
	seal := bytes.Split(text[:before], []byte("\n"))
	write(t, head, padded(seal[len(seal)-2])) // as it was before record 3
	report, err = audit.Verify(t.Context(), killed)
	if err != nil || report.Err() != nil || report.Chains[0].Last != 2 {
		t.Fatalf("got %+v, %v, want 2 records", report, err)
	}
	next := audit.New(audit.Config{Dir: killed, Always: true})
	add(t, next, 3)
	if err := next.Close(); err != nil {
		t.Fatal(err)
	}
	report, err = audit.Verify(t.Context(), killed)
	if err != nil || report.Err() != nil {
		t.Fatal(err, report.Err())
	}
	if c := report.Chains[0]; c.Last != 3 || c.Recovered != 1 || !bytes.Contains(only(t, killed), fmt.Appendf(nil, `"cut":%d,`, after-before)) {
		t.Errorf("got %+v, want 3 records and %d bytes repaired once", c, after-before)
	}
}

// TestSealWithoutGroup: of a group whose write was under way, disks may have the
// seal and not all before it, and where they have nothing be it newlines or
// zeros. The next process cuts it off and goes on behind the one before.
func TestSealWithoutGroup(t *testing.T) {
	for name, hole := range map[string]string{"newlines": "\n", "zeros": "\x00"} {
		for _, room := range []string{"", "\n\n\n\n", "\x00\x00\x00"} {
			t.Run(fmt.Sprintf("%s before %q", name, room), func(t *testing.T) {
				dir, trail, before, head := begun(t)
				if _, err := trail.Append(audit.Record{Key: "k"}); err != nil {
					t.Fatal(err)
				}
				add(t, trail, 3)
				shut(t, trail)
				text := only(t, dir)
				copy(text[len(before)+1:], strings.Repeat(hole, 50))
				write(t, pathOf(t, dir), append(text, room...))
				write(t, headOf(t, dir), head)
				whole(t, dir, 1)
				next := audit.New(audit.Config{Dir: dir, Always: true})
				add(t, next, 2)
				shut(t, next)
				if c := whole(t, dir, 2).Chains; len(c) != 1 || c[0].Recovered != 1 || c[0].Torn != 0 {
					t.Errorf("got %+v, want one chain that was repaired once", c)
				}
			})
		}
	}
}

// TestDamageBehindHead: damage to a group that another one follows is none of a
// crash, wherever the head is.
func TestDamageBehindHead(t *testing.T) {
	dir, trail, before, head := begun(t)
	add(t, trail, 2)
	add(t, trail, 3)
	shut(t, trail)
	text := only(t, dir)
	text[len(before)+100] ^= 1
	write(t, pathOf(t, dir), text)
	write(t, headOf(t, dir), head)
	report, err := audit.Verify(t.Context(), dir)
	if err != nil || report.Err() == nil {
		t.Errorf("got %+v, %v, want a break", report, err)
	}
}

// begun is a trail with one record: its file without the room, and its head.
func begun(t *testing.T) (dir string, trail *audit.Log, text, head []byte) {
	t.Helper()
	dir = t.TempDir()
	trail = audit.New(audit.Config{Dir: dir, Always: true})
	add(t, trail, 1)
	head, err := os.ReadFile(headOf(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	return dir, trail, bytes.TrimRight(only(t, dir), "\n"), head
}

// padded is a head that holds a seal.
func padded(seal []byte) []byte {
	return append(append(slices.Clip(seal), bytes.Repeat([]byte{' '}, 511-len(seal))...), '\n')
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func headOf(t *testing.T, dir string) string {
	t.Helper()
	return filepath.Join(filepath.Dir(pathOf(t, dir)), "head")
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
	text, err := os.ReadFile(pathOf(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func pathOf(t *testing.T, dir string) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*", "*.jsonl"))
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	return all[0]
}

package audit_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
	"github.com/triptych-mcp/triptych/transport/audit"
)

// small makes a trail of one chain with two files, three groups and five
// records, and returns its folder and that of the chain.
func small(t testing.TB) (dir, chain string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "audit")
	l := audit.New(audit.Config{Dir: dir, MaxFile: 1000, Now: ticking(), Always: true})
	for _, n := range []int{2, 1, 2} {
		var last uint64
		for range n {
			seq, err := l.Append(audit.Record{Key: "k", Method: "tools/call", Target: "t", Outcome: audit.OK})
			if err != nil {
				t.Fatal(err)
			}
			last = seq
		}
		if err := l.Commit(t.Context(), last); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	chains, err := filepath.Glob(filepath.Join(dir, "*", "head"))
	if err != nil || len(chains) != 1 {
		t.Fatal(chains, err)
	}
	return dir, filepath.Dir(chains[0])
}

func edit(t testing.TB, path string, change func([]byte) []byte) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, change(bytes.Clone(text)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func files(t testing.TB, chain string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(chain, "*.jsonl"))
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	return all
}

// No byte of a chain can change without being found, where it is.
func TestEveryFlippedByteIsFound(t *testing.T) {
	dir, chain := small(t)
	whole(t, dir, 5)
	every := 11
	if sample.Whole() {
		every = 1
	}
	for _, path := range append(files(t, chain), filepath.Join(chain, "head")) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(text); i += every {
			changed := bytes.Clone(text)
			changed[i] ^= flip(i, text[i])
			if err := os.WriteFile(path, changed, 0o600); err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprintf("%s byte %d", filepath.Base(path), i)
			found(t, dir, what, filepath.Base(path), bytes.Count(text[:i], []byte{'\n'})+1)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	whole(t, dir, 5)
}

// flip is the bits to change in a byte: hexadecimal letters get the other
// case, which means the same number.
func flip(i int, c byte) byte {
	if c >= 'a' && c <= 'f' {
		return 0x20
	}
	return 1 << (i % 5)
}

// found expects the break in a line of a file or the one after it.
func found(t *testing.T, dir, what, file string, line int) {
	t.Helper()
	report, err := audit.Verify(t.Context(), dir)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	b := report.Chains[0].Broken
	switch {
	case b == nil:
		t.Fatalf("%s: not found", what)
	case file == "head":
	case b.File == file && (b.Line == line || b.Line == line+1):
	case b.Line == 1 && b.File > file: // its last line
	case strings.Contains(b.Reason, "end is missing") && b.File <= file: // found by the head
	default:
		t.Fatalf("%s: found in %s line %d, want %s line %d: %v", what, b.File, b.Line, file, line, b)
	}
}

// What people may do to a trail is found and named.
func TestTamperingIsFound(t *testing.T) {
	lines := func(change func([][]byte) [][]byte) func([]byte) []byte {
		return func(text []byte) []byte {
			return bytes.Join(change(bytes.SplitAfter(text, []byte{'\n'})), nil)
		}
	}
	for _, tt := range []struct {
		name, want string
		do         func(t *testing.T, dir, chain string)
	}{
		{"a record is deleted", "000001.jsonl line 3, record 2: records 1 to 1 are missing", func(t *testing.T, _, chain string) {
			edit(t, files(t, chain)[0], lines(func(l [][]byte) [][]byte { return slices.Delete(l, 2, 3) }))
		}},
		{"records are swapped", "000001.jsonl line 3, record 2: records 1 to 1 are missing", func(t *testing.T, _, chain string) {
			edit(t, files(t, chain)[0], lines(func(l [][]byte) [][]byte { l[2], l[3] = l[3], l[2]; return l }))
		}},
		{"a record is there twice", "000001.jsonl line 4, record 1: the record is not in its place, after record 1", func(t *testing.T, _, chain string) {
			edit(t, files(t, chain)[0], lines(func(l [][]byte) [][]byte { return slices.Insert(l, 3, l[2]) }))
		}},
		{"a key is changed", "000001.jsonl line 4, record 2: the line before it has another hash", func(t *testing.T, _, chain string) {
			edit(t, files(t, chain)[0], lines(func(l [][]byte) [][]byte {
				l[2] = bytes.Replace(l[2], []byte(`"key":"k"`), []byte(`"key":"j"`), 1)
				return l
			}))
		}},
		{"the last group is cut off", "its end is missing: records after 3 were signed", func(t *testing.T, _, chain string) {
			edit(t, files(t, chain)[1], lines(func(l [][]byte) [][]byte { return l[:3] }))
		}},
		{"the last seal is cut off", "its end is missing: records after 3 were signed", func(t *testing.T, _, chain string) {
			edit(t, files(t, chain)[1], lines(func(l [][]byte) [][]byte { return l[:5] }))
		}},
		{"the last file is deleted", "its end is missing: records after 2 were signed", func(t *testing.T, _, chain string) {
			remove(t, files(t, chain)[1])
		}},
		{"the first file is deleted", "the files before 000002.jsonl are missing", func(t *testing.T, _, chain string) {
			remove(t, files(t, chain)[0])
		}},
		{"all files are deleted", "its first file is missing", func(t *testing.T, _, chain string) {
			for _, path := range files(t, chain) {
				remove(t, path)
			}
		}},
		{"the head is deleted", "the head is missing or damaged", func(t *testing.T, _, chain string) { remove(t, filepath.Join(chain, "head")) }},
		{"the chain is renamed", "this is a file of chain", func(t *testing.T, dir, chain string) {
			if err := os.Rename(chain, filepath.Join(dir, "0123456789abcdef")); err != nil {
				t.Fatal(err)
			}
		}},
		{"another chain is put in its place", "the first file does not begin the chain", func(t *testing.T, _, chain string) {
			edit(t, files(t, chain)[0], func(b []byte) []byte {
				return bytes.Replace(b, []byte(`"prev":"0`), []byte(`"prev":"1`), 1)
			})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, chain := small(t)
			tt.do(t, dir, chain)
			report, err := audit.Verify(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			if err := report.Err(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// A chain with the signatures of another key is not trusted.
func TestTrustedKeys(t *testing.T) {
	dir, _ := small(t)
	own, err := audit.ReadPublicKey(filepath.Join(dir, "signing.pub"))
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		keys []ed25519.PublicKey
		fine bool
	}{{nil, true}, {[]ed25519.PublicKey{own}, true}, {[]ed25519.PublicKey{other, own}, true}, {[]ed25519.PublicKey{other}, false}} {
		report, err := audit.Verify(t.Context(), dir, tt.keys...)
		if err != nil || (report.Err() == nil) != tt.fine {
			t.Errorf("keys %v: %v %v, want fine %v", tt.keys, err, report.Err(), tt.fine)
		}
	}
}

// What a crash leaves behind the last seal is no tampering, and is cut off
// when the chain goes on.
func TestTornTail(t *testing.T) {
	for _, tail := range []string{
		`{"prev":"`, "x\n", strings.Repeat("\x00", 4096),
		`{"prev":"` + strings.Repeat("0", 64) + `","seq":6,"time":"2024-12-05T12:00:00.000000Z"}` + "\n",
	} {
		dir, chain := small(t)
		edit(t, files(t, chain)[1], func(b []byte) []byte { return append(b, tail...) })
		if got := whole(t, dir, 5).Chains[0].Torn; got != int64(len(tail)) {
			t.Errorf("%q: %d bytes are torn, want %d", tail, got, len(tail))
		}
		l := audit.New(audit.Config{Dir: dir})
		keep(t, l, audit.Record{Key: "k"})
		shut(t, l)
		if c := whole(t, dir, 6).Chains[0]; c.Recovered != 1 || c.Torn != 0 {
			t.Errorf("%q: repaired %d, torn %d", tail, c.Recovered, c.Torn)
		}
	}
}

// A file that a crash left without a seal is begun again.
func TestTornFile(t *testing.T) {
	dir, chain := small(t)
	if err := os.WriteFile(filepath.Join(chain, "000003.jsonl"), []byte(`{"prev":`), 0o600); err != nil {
		t.Fatal(err)
	}
	whole(t, dir, 5)
	l := audit.New(audit.Config{Dir: dir, MaxFile: 1})
	keep(t, l, audit.Record{Key: "k"})
	shut(t, l)
	if c := whole(t, dir, 6).Chains[0]; c.Recovered != 1 {
		t.Errorf("repaired %d times, want once", c.Recovered)
	}
}

// No log goes on with a chain that was tampered with; it stays as it is.
func TestBrokenChainIsLeftAlone(t *testing.T) {
	for _, harm := range []string{"000002.jsonl", "head"} {
		dir, chain := small(t)
		edit(t, filepath.Join(chain, harm), func(b []byte) []byte { return b[:len(b)-100] })
		before, err := os.ReadFile(filepath.Join(chain, harm))
		if err != nil {
			t.Fatal(err)
		}
		l := audit.New(audit.Config{Dir: dir})
		keep(t, l, audit.Record{Key: "k"})
		shut(t, l)
		report, err := audit.Verify(t.Context(), dir)
		if err != nil || len(report.Chains) != 2 || report.Err() == nil {
			t.Errorf("%s: %d chains, %v %v; want two, one of them broken", harm, len(report.Chains), err, report.Err())
		}
		if after, err := os.ReadFile(filepath.Join(chain, harm)); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s was changed: %v", harm, err)
		}
	}
}

// Reading goes on after a line that cannot be read.
func TestQueryTellsBadLines(t *testing.T) {
	dir, chain := small(t)
	edit(t, files(t, chain)[0], func(b []byte) []byte {
		return bytes.Replace(b, []byte(`"outcome":"ok"`), []byte(`"outcome":42  `), 1)
	})
	good, bad := 0, 0
	for _, err := range audit.Query(t.Context(), dir, audit.Filter{}) {
		if err != nil {
			bad++
		} else {
			good++
		}
	}
	if good != 4 || bad != 1 {
		t.Errorf("%d good and %d bad records, want 4 and 1", good, bad)
	}
}

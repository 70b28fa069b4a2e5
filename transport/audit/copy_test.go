package audit

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/alicebob/miniredis/v2"

	"github.com/triptych-mcp/triptych/transport/audit/internal/keyfile"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// A copy with a gap is an error if the chain goes on, and not if it is stored like that.
func TestCopyWithGap(t *testing.T) {
	whole, _ := fixed()
	lines := slices.Collect(bytes.Lines(whole.text))
	for name, tc := range map[string]struct {
		text      []byte
		published []byte // after the lines were read
		want      error
	}{
		"whole":                 {whole.text, whole.published, nil},
		"whole, and goes on":    {whole.text, []byte("another"), nil},
		"a gap, and goes on":    {bytes.Join(append(lines[:1:1], lines[2:]...), nil), []byte("another"), ErrChanging},
		"no first file":         {bytes.Join(lines[1:], nil), []byte("another"), ErrChanging},
		"a gap in what is kept": {bytes.Join(append(lines[:1:1], lines[2:]...), nil), whole.published, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c := &memChain{text: tc.text, published: tc.published}
			var got []byte
			var err error
			for line, e := range checkedLines(t.Context(), c, whole.published) {
				if err = e; err == nil {
					got = append(append(got, line...), '\n')
				}
			}
			if !errors.Is(err, tc.want) {
				t.Errorf("error %v, want %v", err, tc.want)
			}
			if !bytes.Equal(got, tc.text) {
				t.Errorf("lines:\n%s\nwant:\n%s", got, tc.text)
			}
		})
	}
}

// A chain that is adopted has the prefix of the installation.
func TestAdoptWithPrefix(t *testing.T) {
	fake := miniredis.RunT(t)
	l := NewValkey(ValkeyConfig{Client: valkeytest.Client(t, "redis://"+fake.Addr()), Prefix: "one:", KeyDir: t.TempDir()})
	whole, _ := fixed()
	lines := func(yield func([]byte, error) bool) { yield(bytes.TrimSuffix(whole.text, []byte{'\n'}), nil) }
	if err := l.Adopt(t.Context(), ChainCopy{ID: whole.id(), Head: whole.published, Lines: lines}); err != nil {
		t.Fatal(err)
	}
	if got, want := fake.Keys(), []string{"one:triptych:audit-heads", "one:triptych:audit:" + whole.id()}; !slices.Equal(got, want) {
		t.Errorf("the store has %q, want %q", got, want)
	}
}

// A chain whose copy was cut off can be adopted again, another one of its name cannot.
func TestAdoptAgain(t *testing.T) {
	whole, _ := fixed()
	dir := t.TempDir()
	client := valkeytest.Client(t, "redis://"+valkeytest.Start(t).Addr)
	for name, log := range map[string]*Log{
		"files":  New(Config{Dir: filepath.Join(dir, "audit")}),
		"server": NewValkey(ValkeyConfig{Client: client, KeyDir: filepath.Join(dir, "keys")}),
	} {
		t.Run(name, func(t *testing.T) {
			id := whole.id()
			lines := slices.Collect(linesOf(whole.text))
			adopt := func(n int, end error) error {
				return log.Adopt(t.Context(), ChainCopy{ID: id, Head: whole.published, Lines: func(yield func([]byte, error) bool) {
					for _, text := range lines[:n] {
						if !yield(text, nil) {
							return
						}
					}
					if end != nil {
						yield(nil, end)
					}
				}})
			}
			cut := errors.New("cut off")
			for n := range lines {
				if err := adopt(n, cut); !errors.Is(err, cut) {
					t.Fatalf("%d lines: %v", n, err)
				}
				if all, err := log.Chains(t.Context()); err != nil || len(all) != 0 {
					t.Fatalf("%d lines: %d chains, %v; want none", n, len(all), err)
				}
			}
			if err := adopt(len(lines), nil); err != nil {
				t.Fatal(err)
			}
			if name == "server" { // killed before the head was stored
				if err := client.HDel(t.Context(), headsKey, id).Err(); err != nil {
					t.Fatal(err)
				}
				if err := adopt(len(lines)-1, nil); !os.IsExist(err) {
					t.Errorf("another chain: %v", err)
				}
				if err := adopt(len(lines), nil); err != nil {
					t.Fatal(err)
				}
			}
			all, err := log.Chains(t.Context())
			if err != nil || len(all) != 1 || !bytes.Equal(all[0].Head, whole.published) {
				t.Fatalf("%v, %v", all, err)
			}
			var got []byte
			for text, err := range all[0].Lines {
				if err != nil {
					t.Fatal(err)
				}
				got = append(append(got, text...), '\n')
			}
			if !bytes.Equal(got, whole.text) {
				t.Errorf("lines:\n%s\nwant:\n%s", got, whole.text)
			}
			if err := adopt(len(lines), nil); !os.IsExist(err) {
				t.Errorf("a second time: %v", err)
			}
		})
	}
}

// A trail without the file of its public key is verified with that of its signing key.
func TestVerifyWithoutThePublicKey(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	l := New(Config{Dir: dir})
	committed(t, l, 3)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, keyfile.PublicName)); err != nil {
		t.Fatal(err)
	}
	if r, err := Verify(t.Context(), dir); err != nil || r.Err() != nil || r.Records() != 3 {
		t.Errorf("%+v, %v, want 3 records", r, err)
	}
}

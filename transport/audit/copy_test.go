package audit

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/alicebob/miniredis/v2"

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

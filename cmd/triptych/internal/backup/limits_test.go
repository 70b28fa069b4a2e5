package backup

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// zeros is a reader without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestSizes reads what has no end: there is an error, and no more memory is used than the limit
// and its doubling.
func TestSizes(t *testing.T) {
	for name, test := range map[string]struct {
		limit uint64
		read  func() error
	}{
		"an entry": {maxHeadSize, func() error { _, err := readAll(zeros{}, maxHeadSize); return err }},
		"a line": {maxLineSize, func() error {
			for _, err := range linesOf(zeros{}) {
				return err
			}
			return nil
		}},
		"an element": {maxElementSize, func() error {
			for _, err := range elements[string](io.MultiReader(strings.NewReader(`["`), &repeated{'x'})) {
				return err
			}
			return nil
		}},
		"space before an element": {maxElementSize, func() error {
			for _, err := range elements[string](io.MultiReader(strings.NewReader(`[`), &repeated{' '})) {
				return err
			}
			return nil
		}},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := test.read()
		runtime.ReadMemStats(&after)
		if e := (*sizeError)(nil); !errors.As(err, &e) {
			t.Errorf("%s: got %v", name, err)
		}
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 8*test.limit+1<<20 {
			t.Errorf("%s: %d bytes were allocated", name, taken)
		}
	}
}

// repeated is one byte without an end.
type repeated struct{ b byte }

func (r *repeated) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r.b
	}
	return len(p), nil
}

// TestLargeManifest reads an archive of some KiB whose manifest has 200 MiB.
func TestLargeManifest(t *testing.T) {
	sample.Alone(t)
	var file bytes.Buffer
	z := gzip.NewWriter(&file)
	w := tar.NewWriter(z)
	const size = 200 << 20
	err := w.WriteHeader(&tar.Header{Name: manifestName, Size: size, Mode: 0o600})
	if _, copied := io.Copy(w, io.LimitReader(&repeated{' '}, size)); err != nil || copied != nil {
		t.Fatal(err, copied)
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(&file); err == nil || !strings.Contains(err.Error(), "more than 64 MiB, which no backup has") {
		t.Errorf("%v", err)
	}
}

package backup

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"maps"
	"slices"
	"testing"

	"github.com/triptych-mcp/triptych/transport/audit"
)

// Pack returns a backup of a format with these entries, in the order of their names.
func Pack(t *testing.T, format int, entries map[string]string) []byte {
	t.Helper()
	return pack(t, format, entries, 0o600)
}

// PackMode returns a backup whose entries have a mode.
func PackMode(t *testing.T, entries map[string]string, mode fs.FileMode) []byte {
	t.Helper()
	return pack(t, Format, entries, mode)
}

func pack(t *testing.T, format int, entries map[string]string, mode fs.FileMode) []byte {
	t.Helper()
	var file bytes.Buffer
	w := newWriter(&file)
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		if err := w.add(name, mode, []byte(entries[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.close(&Manifest{Format: format, Entries: w.entries}); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// Repack returns a backup with another manifest.
func Repack(t *testing.T, from []byte, change func(*Manifest)) []byte {
	t.Helper()
	var file bytes.Buffer
	w := newWriter(&file)
	err := each(bytes.NewReader(from), func(name string, content io.Reader) error {
		if name != manifestName {
			text, err := io.ReadAll(content)
			if err != nil {
				return err
			}
			return w.add(name, 0o600, text)
		}
		var m Manifest
		if err := decode(content, maxManifestSize, &m); err != nil {
			return err
		}
		change(&m)
		return w.close(&m)
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// CopyTrail returns the entries of the chains that read returns.
func CopyTrail(t *testing.T, read func(context.Context) ([]audit.ChainCopy, error)) ([]Entry, error) {
	t.Helper()
	w := newWriter(io.Discard)
	err := copyTrail(t.Context(), w, read)
	return w.entries, err
}

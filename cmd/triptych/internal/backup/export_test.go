package backup

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"testing"
)

// Pack returns a backup with these entries.
func Pack(t *testing.T, entries map[string]string) []byte {
	t.Helper()
	var file bytes.Buffer
	w := newWriter(&file)
	for name, content := range entries {
		if err := w.add(name, 0o600, []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.close(&Manifest{Format: Format, Entries: w.entries}); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// Repack returns a backup with another manifest.
func Repack(t *testing.T, from []byte, change func(*Manifest)) []byte {
	t.Helper()
	var file bytes.Buffer
	w := newWriter(&file)
	err := each(bytes.NewReader(from), func(e Entry, mode fs.FileMode, content []byte) error {
		if e.Name != manifestName {
			return w.add(e.Name, mode, content)
		}
		var m Manifest
		if err := json.Unmarshal(content, &m); err != nil {
			return err
		}
		change(&m)
		return w.close(&m)
	})
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

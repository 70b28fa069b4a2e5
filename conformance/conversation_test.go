package conformance

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the answers of the conversations")

func TestConversations(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".txtar") {
			t.Run(strings.TrimSuffix(path, ".txtar"), func(t *testing.T) { replayFile(t, path) })
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func replayFile(t *testing.T, path string) {
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	if err := lay(data, c.files); err != nil {
		t.Fatal(err)
	}
	p := start(t, data, c.args...)
	r := &replay{road: p, witness: witnessFor(t, path), update: *update}
	spoken, err := r.run(c.turns)
	if err := errors.Join(err, p.end(), compare(data, c.after)); err != nil {
		t.Error(err)
	}
	if *update {
		c.wire.Data = []byte(lines(spoken) + "\n")
		if err := os.WriteFile(path, txtar.Format(c.archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// witnessFor returns the witness of a file below revisions/NAME, nil for
// others and for the profile that has no published schema.
func witnessFor(t *testing.T, path string) *witness {
	t.Helper()
	parts := strings.Split(filepath.ToSlash(path), "/")
	if parts[0] != "revisions" || len(parts) != 3 || parts[1] == "baseline" {
		return nil
	}
	schema, err := openSchema(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	return newWitness(schema)
}

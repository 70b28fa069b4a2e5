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
			if *command == "" && !*update {
				t.Run(strings.TrimSuffix(path, ".txtar")+" over HTTPS", func(t *testing.T) { replayOverHTTPS(t, path) })
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// prepare reads a conversation and lays its files.
func prepare(t *testing.T, path string) (c *conversation, data string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if c, err = parse(raw); err != nil {
		t.Fatal(err)
	}
	data = t.TempDir()
	if err := lay(data, c.files); err != nil {
		t.Fatal(err)
	}
	return c, data
}

// replayOverHTTPS replays the same conversation over the other road, unless it
// says that it is about the first.
func replayOverHTTPS(t *testing.T, path string) {
	c, data := prepare(t, path)
	if c.pipeOnly {
		return
	}
	w := drive(t, data, c.args...)
	r := &replay{road: w, witness: witnessFor(t, path)}
	_, err := r.run(c.turns)
	if err := errors.Join(err, w.end(), compare(data, c.after)); err != nil {
		t.Error(err)
	}
}

func replayFile(t *testing.T, path string) {
	c, data := prepare(t, path)
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

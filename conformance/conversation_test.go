package conformance

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

var (
	update  = flag.Bool("update", false, "rewrite the answers of the conversations")
	command = flag.String("cmd", "", "ask this server instead of ours")
)

// patience is how long an answer may take.
const patience = 20 * time.Second

func TestConversations(t *testing.T) {
	program := build(t)
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".txtar") {
			t.Run(strings.TrimSuffix(path, ".txtar"), func(t *testing.T) { replayFile(t, program, path) })
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// build makes the program once, or takes the one of -cmd.
func build(t *testing.T) []string {
	t.Helper()
	if *command != "" {
		return strings.Fields(*command)
	}
	program := filepath.Join(t.TempDir(), "triptych")
	if out, err := exec.Command("go", "build", "-o", program, "../cmd/triptych").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return []string{program, "stdio"}
}

func replayFile(t *testing.T, program []string, path string) {
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
	env := []string{"TRIPTYCH_DATA=" + data, "LOG_LEVEL=error", "VALKEY_HOST=", "VALKEY_PORT="}
	p, err := openPipe(append(program[:len(program):len(program)], c.args...), env, patience)
	if err != nil {
		t.Fatal(err)
	}
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

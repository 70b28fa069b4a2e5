package conformance

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

func TestConversations(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".txtar") {
			converse(t, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// converse holds the conversation of a file on each road that there is.
func converse(t *testing.T, path string) {
	name := strings.TrimSuffix(path, ".txtar")
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		stage(t, path, "stdio", func(data string, args []string) mcptest.Road { return start(t, data, args...) })
	})
	if *command != "" || mcptest.Updating() {
		return
	}
	t.Run(name+" over HTTPS", func(t *testing.T) {
		t.Parallel()
		stage(t, path, "https", func(data string, args []string) mcptest.Road { return drive(t, data, args...) })
	})
}

// stage holds the conversation of a file on one road.
func stage(t *testing.T, path, road string, open func(data string, args []string) mcptest.Road) {
	t.Helper()
	s := mcptest.Stage{
		Road: road,
		Open: func(data string, args []string) (mcptest.Road, error) {
			prepare(t, data)
			return open(data, args), nil
		},
		Witness: witnessFor(t, path),
	}
	s.Conversation(t, path)
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

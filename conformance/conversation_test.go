package conformance

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/mcp/mcptest"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

func TestConversations(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".txtar") {
			replayFile(t, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// replayFile replays the conversation of a file over standard input and output, and over
// HTTPS: there only a third of them, unless the run is whole.
func replayFile(t *testing.T, path string) {
	name := strings.TrimSuffix(path, ".txtar")
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		replayOver(t, path, "stdio", func(data string, args []string) mcptest.Transport { return startStdio(t, data, args...) })
	})
	if *command != "" || mcptest.Updating() {
		return
	}
	t.Run(name+" over HTTPS", func(t *testing.T) {
		sample.Case(t)
		t.Parallel()
		replayOver(t, path, "https", func(data string, args []string) mcptest.Transport { return startHTTPS(t, data, args...) })
	})
}

// replayOver replays the conversation in a file over one transport.
func replayOver(t *testing.T, path, transport string, open func(data string, args []string) mcptest.Transport) {
	t.Helper()
	s := mcptest.Replay{
		Transport: transport,
		Open: func(data string, args []string) (mcptest.Transport, error) {
			prepare(t, data)
			return open(data, args), nil
		},
		Checker: checkerFor(t, path),
	}
	s.Conversation(t, path)
}

// checkerFor returns the schema checker for a file below revisions/NAME. It returns
// nil for other files and for the baseline, which has no published schema.
func checkerFor(t *testing.T, path string) *checker {
	t.Helper()
	parts := strings.Split(filepath.ToSlash(path), "/")
	if parts[0] != "revisions" || len(parts) != 3 || parts[1] == "baseline" {
		return nil
	}
	schema, err := openSchema(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	return newChecker(schema)
}

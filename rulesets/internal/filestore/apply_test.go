package filestore_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
	"github.com/triptych-mcp/triptych/rulesets/internal/filestore"
	"github.com/triptych-mcp/triptych/rulesets/internal/storetest"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A process that is killed while it applies batches leaves each of them whole, or
// nothing of it, and no hidden file that stays.
func TestKilledWhileApplying(t *testing.T) {
	dir := t.TempDir()
	open := func() ruleset.Store { return filestore.Open(dir, quiet, time.Now) }
	storetest.KillApplying(t, sample.Count(10, 100), dir, func() {}, open)
	for _, name := range []string{".batch", ".batch.undo"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is left", name)
		}
	}
}

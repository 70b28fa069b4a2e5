package diskspace_test

import (
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/diskspace"
)

// TestFree asks for the disk of a folder that there is, and of one that there is not.
func TestFree(t *testing.T) {
	dir := t.TempDir()
	if free, err := diskspace.Free(dir); err != nil || free <= 0 {
		t.Errorf("Free: %d, %v", free, err)
	}
	if free, err := diskspace.Free(filepath.Join(dir, "missing")); err == nil {
		t.Errorf("Free of a folder that is missing: %d", free)
	}
}

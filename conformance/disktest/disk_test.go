package disktest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/conformance/disktest"
)

func TestFill(t *testing.T) {
	const size = 64 << 10
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "below"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run("mounted", func(t *testing.T) {
		disktest.Mount(t, dir, size)
		filler := filepath.Join(dir, "filler")
		disktest.Fill(t, filler)
		if info, err := os.Stat(filler); err != nil || info.Size() != size {
			t.Errorf("the filler is %v, %v; want all %d bytes", info, err, size)
		}
		if err := os.WriteFile(filepath.Join(dir, "more"), []byte{1}, 0o600); err == nil {
			t.Error("there is room for a byte")
		}
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "more"), []byte{1}, 0o600); err != nil {
			t.Errorf("without the filler: %v", err)
		}
	})
	if _, err := os.Stat(filepath.Join(dir, "below")); err != nil {
		t.Errorf("what the folder had before: %v", err)
	}
}

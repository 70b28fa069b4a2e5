package quota_test

import (
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/transport/quota"
)

func openLocal(t *testing.T, dir string) *quota.Local {
	t.Helper()
	m, err := quota.OpenLocal(t.Context(), dir, quiet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return m
}

func TestContractOfALocalMeter(t *testing.T) {
	contract(t, func(t *testing.T) func() quota.Meter {
		dir := filepath.Join(t.TempDir(), "data", "quota")
		return func() quota.Meter { return openLocal(t, dir) }
	})
}

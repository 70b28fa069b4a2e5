package keys_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/transport/keys"
)

func openFile(t *testing.T, dir string, now func() time.Time) *keys.FileStore {
	t.Helper()
	s, err := keys.OpenFile(dir, quiet, now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // never fails
	return s
}

func TestContractOnAFile(t *testing.T) {
	contract(t, func(t *testing.T) opener {
		dir := filepath.Join(t.TempDir(), "data", "keys")
		return func(now func() time.Time) keys.Store { return openFile(t, dir, now) }
	})
}

package wholefile

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/conformance/disktest"
)

// A writer is killed when it has exchanged the names and before that is on disk;
// the power goes while the next one writes the spare. The text is that of either,
// or the one before, but never the spare's.
func TestPowerCutAfterAKill(t *testing.T) {
	for _, features := range []string{"has_journal", "^has_journal"} {
		t.Run(features, func(t *testing.T) {
			disk, after := t.TempDir(), t.TempDir()
			image := disktest.Format(t, disk, "-O", features)
			path, spare := filepath.Join(disk, "file"), filepath.Join(disk, ".spare")
			texts := [][]byte{bytes.Repeat([]byte{'a'}, 9000), bytes.Repeat([]byte{'b'}, 9000), bytes.Repeat([]byte{'c'}, 9000)}
			for _, text := range texts[:2] {
				if err := Swap(path, spare, text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := prepare(path, spare, texts[2]); err != nil {
				t.Skip("this file system has no spares: ", err)
			}
			if err := exchangeNames(path, spare); err != nil { // and killed
				t.Fatal(err)
			}
			if err := prepare(path, spare, bytes.Repeat([]byte{'x'}, 5000)); err != nil {
				t.Fatal(err)
			}
			image.PowerCut(t, after, func() {
				got, err := os.ReadFile(filepath.Join(after, "file"))
				if err != nil || !bytes.Equal(got, texts[1]) && !bytes.Equal(got, texts[2]) {
					t.Errorf("%d bytes that begin with %.10q are left, %v", len(got), got, err)
				}
			})
		})
	}
}

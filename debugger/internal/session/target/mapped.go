package target

import (
	"fmt"
	"io"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/program/core"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
)

// maxMissing is the maximum number of missing files in an answer.
const maxMissing = 10

// Missing describes the files with code that cannot be used.
func Missing(maps procfs.Maps, files *core.Mapped) (missing []string) {
	told := map[string]bool{}
	for _, m := range maps {
		if !m.Execute || !strings.HasPrefix(m.Path, "/") || told[m.Path] || len(missing) == maxMissing {
			continue
		}
		told[m.Path] = true
		if _, err := files.Open(m.Path); err != nil {
			missing = append(missing, fmt.Sprintf("code and symbols: %v", err))
		}
	}
	return missing
}

// ImageOpener returns a function that opens the mapped files of a process for
// its symbols.
func ImageOpener(files *core.Mapped) func(symbols.Mapping) (symbols.File, error) {
	return func(m symbols.Mapping) (symbols.File, error) {
		if m.End == 0 { // a file that goes with a mapped one
			return files.OpenUnmapped(m.Path)
		}
		r, err := files.Open(m.Path)
		if err != nil {
			return nil, err
		}
		return borrowedFile{r}, nil
	}
}

// A borrowedFile is owned and closed by another party.
type borrowedFile struct{ io.ReaderAt }

// Close does nothing.
func (borrowedFile) Close() error { return nil }

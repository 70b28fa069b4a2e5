package recording

import (
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// A BudgetError reports that the state of a process does not fit in what a recording may have.
type BudgetError struct{ Needed, Allowed int }

// Error implements error.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("the memory of the process takes %d MiB of the history, and %d MiB are left for it (history_memory, or history_file, of debugger/launch and debugger/attach)", e.Needed>>20+1, e.Allowed>>20)
}

// unpacked limits the size of an image before compression, in times the size that the
// recording may have: a replay has the image in memory.
const unpacked = 4

// maxStretch limits the bytes of a stretch before compression. An image has at most maxSnapshot
// and the addresses of its pages, so that there is room for more.
const maxStretch = recfile.MaxSize - 512<<20

// checkImage returns an error if what was written takes too much.
func (s *stretch) checkImage(out *recfile.Writer) error {
	if size := int(s.store.Len()); size > s.Bytes {
		return &BudgetError{size, s.Bytes}
	}
	if needed := int(out.Size() / unpacked); needed > s.Bytes {
		return &BudgetError{needed, s.Bytes}
	}
	return s.store.Failure()
}

// room ends the stretch if it has as many bytes as it may have, or cannot be written.
func (s *stretch) room(out *recfile.Writer) error {
	switch err := s.store.Failure(); {
	case s.store.Full(), s.store.Len() > int64(s.Bytes), out.Size() > maxStretch:
		return &stretchEnd{StretchEnd{Why: EndFull}}
	case err != nil:
		return &stretchEnd{StretchEnd{Why: EndCut, Text: err.Error()}}
	}
	return nil
}

package target

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
)

// The error of a file that only some may read says who.
func TestDeletedError(t *testing.T) {
	refused := &fs.PathError{Op: "open", Path: "/proc/7/map_files/1000-2000", Err: fs.ErrPermission}
	if err := deletedError(refused); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "CAP_CHECKPOINT_RESTORE") {
		t.Error(err)
	}
	for _, other := range []error{nil, fs.ErrNotExist} {
		if err := deletedError(other); !errors.Is(err, other) {
			t.Error(err)
		}
	}
}

package debugger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/jsonrpc"
)

// The message of an error that has no documented one has the reason, too; and
// no message has a path of the server's disk.
func TestMessages(t *testing.T) {
	missing := &fs.PathError{Op: "open", Path: "/srv/data/traces/t.json", Err: fs.ErrNotExist}
	for _, tt := range []struct {
		err  error
		code jsonrpc.Code
		want string
	}{
		{failure.Errorf("Expression failed", "no variable %s", "x"), -1, "Expression failed: no variable x"},
		{failure.NotAttached("launch first"), -32005, "Not attached"}, // as documented
		{missing, -32603, "open t.json: file does not exist"},
		{fmt.Errorf("export: %w", errors.Join(missing, &os.LinkError{Op: "rename", Old: "/srv/a", New: "/srv/b", Err: fs.ErrExist})), -32603,
			"export: open t.json: file does not exist\nrename a b: file already exists"},
		{&fs.PathError{Op: "open", Path: "t.json", Err: fs.ErrNotExist}, -32603, "open t.json: file does not exist"},
	} {
		answer, ok := errors.AsType[*jsonrpc.Error](wireError(tt.err))
		if !ok || answer.Code != tt.code || answer.Message != tt.want {
			t.Errorf("%v: got %v, want %d %q", tt.err, answer, tt.code, tt.want)
		}
	}
}

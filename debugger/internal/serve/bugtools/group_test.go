package bugtools

import (
	"context"
	"errors"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/mcp"
)

// A place that is given goes before the one where the program stopped, and a
// class of bugs needs neither.
func TestSiteOf(t *testing.T) {
	stopped := bugs.Site{File: "stopped.c", Line: 9, Signal: "SIGSEGV"}
	broken := errors.New("broken")
	for _, tt := range []struct {
		name string
		args similarArgs
		stop error
		want string // file or error
	}{
		{"where it stopped", similarArgs{}, nil, "stopped.c"},
		{"where it stopped, with a class", similarArgs{Class: "crash"}, nil, "stopped.c"},
		{"a given place", similarArgs{File: "given.c", Line: 1}, nil, "given.c"},
		{"a given function", similarArgs{Function: "f"}, broken, ""},
		{"nothing is attached", similarArgs{}, failure.NotAttached("attach first"), "not attached: attach first"},
		{"nothing is attached, but there is a class", similarArgs{Class: "logic"}, failure.NotAttached("attach first"), ""},
		{"it cannot be read", similarArgs{Class: "logic"}, broken, "broken"},
	} {
		tools := &Group{StopSite: func(context.Context, *mcp.Call, string) (bugs.Site, error) {
			if tt.stop != nil {
				return bugs.Site{}, tt.stop
			}
			return stopped, nil
		}}
		site, err := tools.siteOf(t.Context(), nil, tt.args)
		got := site.File
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

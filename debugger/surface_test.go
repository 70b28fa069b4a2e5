package debugger_test

import (
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

// What clients see of the tools changes on purpose only.
func TestSurface(t *testing.T) {
	mcptest.Surface(t, "testdata/tools", table(t, debugger.Config{}))
}

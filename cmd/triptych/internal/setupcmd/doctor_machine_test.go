package setupcmd

import (
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
)

// What a machine lacks is a warning with the cost as its hint.
func TestLacking(t *testing.T) {
	got := lacking([]debugger.Lack{{Feature: "XSAVE", Cost: "fewer registers"}, {Feature: "Linux 6.7", Cost: "more time"}})
	want := []finding{
		{"debugger", warning, "this machine lacks XSAVE", "fewer registers"},
		{"debugger", warning, "this machine lacks Linux 6.7", "more time"},
	}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%+v", got)
	}
	if got := lacking(nil); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

package debugger_test

import (
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// Expressions in other languages: the sources give the variables these values.
func TestLanguages(t *testing.T) {
	for _, tt := range []struct {
		source  string
		command []string // the source and -o come behind
		hit     int      // of marker, from where the variables are in sight
		want    map[string]string
	}{
		{"values.cc", []string{"g++", "-g", "-O0"}, 2, map[string]string{
			"count + ref": "int = 84", "v[2]": "int = 3", "words[1]": `std::string = "two"`, "box.value * 2": "double = 5",
			"mode == app::Mode::On": "bool = true", "plain == Second": "bool = true", "app::counter": "int = 5",
			"grid[1][2] - grid[0][0]": "int = 5", "*p + 1": "int = 6", "left.id": "int = 7", "cs[1]": "const char = 98 'b'",
			"ref == count && ok": "bool = true", "&ref == &count": "bool = true", "(char)wide": "char = -23 '\\351'",
			"u.i": "int = 1", "*&count": "int = 42", "fn != 0": "bool = true", "name == 0": "",
		}},
		{"values.rs", []string{"rustc", "-g", "-C", "opt-level=0"}, 1, map[string]string{
			"count": "i32 = 42", "count as u8 + 1": "i32 = 43", "tiny as i8": "i8 = -56", "real * 2.0": "f64 = 3",
			"yes && count > 41": "bool = true", "p.x + p.y": "i32 = 3", "array[2]": "i16 = 30", "tuple.0 == 1": "bool = true",
			"pair.0": "u8 = 4", "(*p).y": "i32 = 2", "&count == &count": "bool = true", "wide": "i128 = -5",
		}},
	} {
		t.Run(tt.source, func(t *testing.T) {
			sample.Case(t)
			path := debuggertest.Compile(t, source(tt.source), nil, tt.command...)
			c := connect(t, table(t, debugger.Config{}))
			c.ok("launch", args{"path": path})
			c.ok("set_breakpoint", args{"function": "marker", "hit_count": tt.hit})
			contains(t, c.ok("continue", nil), "Stopped at breakpoint 1 (")
			for expression, want := range tt.want {
				a := c.Call("debugger/evaluate", args{"expression": expression, "frame": 1})
				if want == "" {
					if a.Err == nil {
						t.Errorf("%s: %s", expression, a.Text)
					}
					continue
				}
				if got := a.Text; a.Err != nil || got != expression+": "+want {
					t.Errorf("%s: got %s, want %s", expression, a, want)
				}
			}
		})
	}
}

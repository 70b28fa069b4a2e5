package editors

import (
	"testing"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A prompt in TOML is read back whatever is in it.
func TestCommandsInTOML(t *testing.T) {
	c := Find("gemini").Commands
	for _, body := range []string{"a\n", "'''\n", "\\ \"\"\" \x01\n", "# {{args}} !{git diff}\n\n\n", "\ttab\n"} {
		base := Rule{Name: "p", Prompt: true, Description: `a "b" \`, Body: body}
		got, err := c.parse(c.command(base), Rule{Name: ruleset.Name("p"), Prompt: true})
		if err != nil || got.Body != body || got.Description != base.Description {
			t.Errorf("%q became %+v, %v", body, got, err)
		}
	}
}

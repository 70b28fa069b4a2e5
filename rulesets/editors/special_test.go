package editors

import (
	"testing"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A prompt in TOML is read back whatever is in it.
func TestCommandsInTOML(t *testing.T) {
	c := Find("gemini")
	for _, body := range []string{"a\n", "'''\n", "\\ \"\"\" \x01\n", "# {{args}} !{git diff}\n\n\n", "\ttab\n"} {
		base := Rule{Name: "p", Prompt: true, Description: `a "b" \`, Body: body}
		text, _ := c.command(base)
		got, err := c.parseCommand(PlaceOf(".gemini/commands/p.toml"), text, Rule{Name: ruleset.Name("p"), Prompt: true, Arguments: []string{"x", "y"}})
		if err != nil || got.Body != body || got.Description != base.Description {
			t.Errorf("%q became %+v, %v", body, got, err)
		}
	}
}

package editors

import (
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

func TestOtherNames(t *testing.T) {
	for name, want := range map[string]string{
		"claude-code": "claude", "windsurf": "devin", "gemini-cli": "gemini", "github-copilot": "copilot", "GitHub Copilot": "copilot", "Cursor": "cursor", "Claude Code": "claude",
	} {
		if c := Find(name); c == nil || c.Name != want {
			t.Errorf("%s is %v, want %s", name, c, want)
		}
	}
	for alias, to := range aliases {
		if Find(to) == nil || Find(to).Name != to || Clients[0].Name == alias {
			t.Errorf("%s is another name of %s, which is none", alias, to)
		}
	}
	for name, want := range map[string]string{"curser": "cursor", "cluade": "claude", "copilt": "copilot", "winsurf": "devin", "gemni": "gemini", "codx": "codex", "emacs": "", "x": ""} {
		_, err := Targets([]string{name})
		if err == nil || strings.Contains(err.Error(), "did you mean") != (want != "") || !strings.Contains(err.Error(), "did you mean "+want) && want != "" {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

// A block that a person shows between fences is text, whatever the fences are. Damaged
// marks are named with their lines.
func TestBlocksInFences(t *testing.T) {
	block := blockText([]Section{{Name: ruleset.Name("a"), Text: "Do `x`.\n```\ncode\n```\n"}})
	plain := blockText([]Section{{Name: ruleset.Name("a"), Text: "Do.\n"}})
	for name, text := range map[string]string{
		"tildes":    "TOP\n~~~\n" + block + "~~~\nBOTTOM\n",
		"longer":    "TOP\n````markdown\n" + block + "````\nBOTTOM\n",
		"backticks": "TOP\n\n  ```md\n" + plain + "  ```\nBOTTOM\n",
		"indented":  "As code:\n\n    " + strings.ReplaceAll(strings.TrimSuffix(plain, "\n"), "\n", "\n    ") + "\n\nMore.\n",
		"inline":    "Lines `" + strings.TrimSpace(beginMark) + "` are of triptych.\n",
	} {
		b, err := SplitBlock([]byte(text))
		if err != nil || b.Found || b.Before != text {
			t.Errorf("%s: %+v, %v", name, b, err)
		}
		joined := b.Join(plain)
		if again, err := SplitBlock(joined); err != nil || again.Text != plain || again.Before+again.After != text {
			t.Errorf("%s with a block: %+v, %v", name, again, err)
		}
	}
	for name, text := range map[string]string{
		"an open fence before": "```\n" + plain,
		"fences in the block":  "~~~\nshell\n~~~\n" + block + "~~~\nmore\n~~~\n",
	} {
		if b, err := SplitBlock([]byte(text)); err != nil || !b.Found {
			t.Errorf("%s: %+v, %v", name, b, err)
		}
	}
	lines := strings.SplitAfter(plain, "\n")
	for name, tc := range map[string]struct{ text, want string }{
		"no end":   {"TOP\n" + strings.TrimSuffix(plain, endMark) + "BOTTOM\n", "line 2:"},
		"no begin": {"TOP\nmore\n" + strings.TrimPrefix(plain, beginMark) + "BOTTOM\n", "line 3:"},
		"turned":   {"TOP\n" + endMark + strings.TrimSuffix(plain, endMark), "line 2 has a mark"},
		"twice":    {"TOP\n" + plain + "MIDDLE\n" + plain, "outside of the block, lines 2 to"},
		"again":    {"TOP\n" + lines[0] + lines[1] + "Ours.\n" + plain, "line 5: the block of triptych that begins at line 2"},
		"indented": {"TOP\n\n    " + beginMark + "BOTTOM\n", "line 3:"},
		"a rule":   {plain + "\n\n" + lines[1], "outside of the block, lines 1 to"},
	} {
		if _, err := SplitBlock([]byte(tc.text)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}

package frontmatter_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

func TestParse(t *testing.T) {
	for _, tc := range []struct {
		name, extra string
		want        frontmatter.Fields
	}{
		{"nothing", "", frontmatter.Fields{}},
		{
			"all keys", `globs: [src/**/*.go, "*.mod"]
activation: manual
targets: [cursor, claude]
root: true
order: -3
include: [go_style@production, base, old@7]
prompt: true
arguments: [{name: file, description: "Which one?", required: true}, depth]
skill: {license: MIT, compatibility: Linux, metadata: {author: me}, allowed-tools: Read Bash(git:*), model: x}
extra: {cursor: {alwaysApply: false}, zed: {a: [1]}}
`,
			frontmatter.Fields{
				Globs: []string{"src/**/*.go", "*.mod"}, Activation: frontmatter.Manual, Targets: []string{"cursor", "claude"}, Root: true, Order: -3,
				Include: []frontmatter.Reference{{Name: "go_style", At: "production"}, {Name: "base"}, {Name: "old", At: "7"}},
				Prompt:  true, Arguments: []frontmatter.Argument{{Name: "file", Description: "Which one?", Required: true}, {Name: "depth"}},
				Skill: &frontmatter.Skill{License: "MIT", Compatibility: "Linux", Metadata: map[string]string{"author": "me"}, AllowedTools: []string{"Read", "Bash(git:*)"}, Extra: "model: x\n"},
				Extra: map[string]string{"cursor": "alwaysApply: false\n", "zed": "a: [1]\n"},
			},
		},
		{"lists as texts", "globs: 'a/*.{ts,tsx}, b/**,'\ntargets: cursor\ninclude: x@v1\n", frontmatter.Fields{
			Globs: []string{"a/*.{ts,tsx}", "b/**"}, Targets: []string{"cursor"}, Include: []frontmatter.Reference{{Name: "x", At: "v1"}},
		}},
		{"an alias of YAML", "mine: &m ['*.go']\nglobs: *m\n", frontmatter.Fields{Globs: []string{"*.go"}}},
		{"keys without a value", "globs:\nprompt:\norder: null\nskill:\n", frontmatter.Fields{}},
		{"a skill without keys", "skill: true\n", frontmatter.Fields{Skill: &frontmatter.Skill{}}},
		{"Cursor, always", "alwaysApply: true\nglobs: '**/*.ts'\n", frontmatter.Fields{Globs: []string{"**/*.ts"}, Activation: frontmatter.Always}},
		{"Cursor, by globs", "alwaysApply: false\nglobs: '**/*.ts'\n", frontmatter.Fields{Globs: []string{"**/*.ts"}, Activation: frontmatter.Glob}},
		{"Cursor, by description", "globs:\nalwaysApply: false\n", frontmatter.Fields{Activation: frontmatter.Auto}},
		{"Claude Code", "paths: [src/**]\n", frontmatter.Fields{Globs: []string{"src/**"}}},
		{"Copilot", "applyTo: '**/*.py,**/*.pyi'\n", frontmatter.Fields{Globs: []string{"**/*.py", "**/*.pyi"}}},
		{"Devin", "trigger: model_decision\n", frontmatter.Fields{Activation: frontmatter.Auto}},
		{"Kiro", "inclusion: fileMatch\nfileMatchPattern: ['*.md']\n", frontmatter.Fields{Globs: []string{"*.md"}, Activation: frontmatter.Glob}},
		{"Augment", "type: agent_requested\n", frontmatter.Fields{Activation: frontmatter.Auto}},
		{"a type that is no mode", "type: guide\n", frontmatter.Fields{}},
		{"ours before theirs", "paths: [a]\nglobs: [b]\nalwaysApply: true\nactivation: auto\n", frontmatter.Fields{Globs: []string{"b"}, Activation: frontmatter.Auto}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, problems := frontmatter.Parse(tc.extra)
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" || len(problems) > 0 {
				t.Errorf("%v, -want +got:\n%s", problems, diff)
			}
		})
	}
}

// Cursor's rule without globs and description is for the user to name.
func TestOfUndescribed(t *testing.T) {
	f, _ := frontmatter.Of(ruleset.Ruleset{Extra: "alwaysApply: false\n"})
	if f.Mode() != frontmatter.Manual {
		t.Errorf("mode %s", f.Mode())
	}
}

func TestProblems(t *testing.T) {
	for extra, want := range map[string]frontmatter.Problem{
		"x: 1\nglobs: {a: b}\n":    {Key: "globs", Line: 2, Reason: "must be a list of texts"},
		"globs: [[a]]\n":           {Key: "globs", Line: 1, Reason: "must be a list of texts"},
		"activation: sometimes\n":  {Key: "activation", Line: 1, Reason: "must be always, glob, auto or manual"},
		"order: first\n":           {Key: "order", Line: 1, Reason: "must be a number"},
		"prompt: maybe\n":          {Key: "prompt", Line: 1, Reason: "must be true or false"},
		"include: [A]\n":           {Key: "include", Line: 1, Reason: "invalid ruleset name 'A': must use snake_case (lowercase letters, numbers, and underscores only)"},
		"include: [a@0]\n":         {Key: "include", Line: 1, Reason: "invalid label '0': must begin with a letter and have only lowercase letters, digits and _ . -"},
		"arguments: [a, a]\n":      {Key: "arguments", Line: 1, Reason: "each needs a name of its own"},
		"arguments: file\n":        {Key: "arguments", Line: 1, Reason: "must be a list of names, or of mappings with name, description and required"},
		"skill: [a]\n":             {Key: "skill", Line: 1, Reason: "must be a mapping, or true"},
		"skill: {metadata: [a]}\n": {Key: "skill", Line: 1, Reason: "metadata must have texts as values"},
		"extra: {cursor: 1}\n":     {Key: "extra", Line: 1, Reason: "cursor must be a mapping"},
		"alwaysApply: sometimes\n": {Key: "alwaysApply", Line: 1, Reason: "must be true or false"},
		"- a\n":                    {Line: 1, Reason: "the front matter is not a YAML mapping"},
	} {
		_, problems := frontmatter.Parse(extra)
		if diff := cmp.Diff([]frontmatter.Problem{want}, problems); diff != "" {
			t.Errorf("%q: -want +got:\n%s", extra, diff)
		}
	}
}

func TestMode(t *testing.T) {
	for want, f := range map[frontmatter.Mode]frontmatter.Fields{
		frontmatter.Always: {}, frontmatter.Glob: {Globs: []string{"*"}}, frontmatter.Auto: {Globs: []string{"*"}, Activation: frontmatter.Auto},
	} {
		if got := f.Mode(); got != want {
			t.Errorf("%+v: %s, want %s", f, got, want)
		}
	}
}

func TestFor(t *testing.T) {
	for _, tc := range []struct {
		targets []string
		client  string
		want    bool
	}{
		{nil, "cursor", true}, {[]string{"*"}, "cursor", true}, {[]string{"Cursor"}, "cursor", true}, {[]string{"claude"}, "cursor", false}, {[]string{"claude"}, "", true},
	} {
		f := frontmatter.Fields{Targets: tc.targets}
		if got := f.For(tc.client); got != tc.want {
			t.Errorf("%v for %q: %t", tc.targets, tc.client, got)
		}
	}
}

// A change of one key leaves the lines of the others as their author wrote them.
func TestMergeKeepsOtherKeys(t *testing.T) {
	extra := "# of the team\nmine: 'x'  # why\nglobs: [a, b] # all\nother:\n  - 1\n"
	f, _ := frontmatter.Parse(extra)
	if got, err := f.Merge(extra); got != extra || err != nil {
		t.Errorf("no change: %v\n%s", err, got)
	}
	f.Globs, f.Order = []string{"*.go"}, 2
	want := "# of the team\nmine: 'x' # why\nglobs: ['*.go'] # all\nother:\n  - 1\norder: 2\n"
	if got, err := f.Merge(extra); got != want || err != nil {
		t.Errorf("%v, got\n%swant\n%s", err, got, want)
	}
	f = frontmatter.Fields{}
	want = "# of the team\nmine: 'x' # why\nother:\n  - 1\n"
	if got, err := f.Merge(extra); got != want || err != nil {
		t.Errorf("cleared: %v, got\n%swant\n%s", err, got, want)
	}
}

// The canonical key replaces an editor's when its meaning changes.
func TestMergeReplacesAliases(t *testing.T) {
	extra := "paths: [src/**]\nalwaysApply: false\n"
	f, _ := frontmatter.Parse(extra)
	f.Globs = nil
	if got, err := f.Merge(extra); got != "activation: glob\n" || err != nil {
		t.Errorf("%v, got %q", err, got)
	}
	f.Activation = frontmatter.Auto
	if got, err := f.Merge(extra); got != "activation: auto\n" || err != nil {
		t.Errorf("%v, got %q", err, got)
	}
}

func TestMergeRefusesWhatIsNoMapping(t *testing.T) {
	if got, err := new(frontmatter.Fields).Merge("- a\n"); err == nil {
		t.Errorf("got %q", got)
	}
}

func TestOthers(t *testing.T) {
	got, err := frontmatter.Others("globs: a\nmine: 1\nalwaysApply: true\n")
	if got != "mine: 1\n" || err != nil {
		t.Errorf("%v, got %q", err, got)
	}
}

// Whatever is merged into whatever is read again, and keys that are not known stay.
func TestMergeIsReadAgain(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		extra, want := randomExtra(random), randomFields(random)
		text, err := want.Merge(extra)
		if err != nil {
			t.Fatalf("%q: %v", extra, err)
		}
		got, problems := frontmatter.Parse(text)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || len(problems) > 0 {
			t.Fatalf("into %q: %v, -want +got:\n%s", extra, problems, diff)
		}
		before, _ := frontmatter.Others(extra)
		after, _ := frontmatter.Others(text)
		if before != after {
			t.Fatalf("into %q: other keys were %q and are %q", extra, before, after)
		}
	}
}

// lines are keys that people and editors write.
var lines = []string{
	"globs: '**/*.ts'\n", "paths:\n  - a\n", "applyTo: '**'\n", "alwaysApply: true\n", "alwaysApply: false\n", "trigger: manual\n", "type: guide\n",
	"order: 4\n", "targets: ['*']\n", "mine: {a: [1, 2]}\n", "version: '1.0'\n", "text: |\n  two\n  lines\n", "prompt: true\n", "skill: {license: MIT, x: 1}\n",
}

func randomExtra(random *rand.Rand) string {
	var b strings.Builder
	seen := map[string]bool{}
	for range random.IntN(6) {
		line := lines[random.IntN(len(lines))]
		if key, _, _ := strings.Cut(line, ":"); !seen[key] {
			seen[key] = true
			b.WriteString(line)
		}
	}
	return b.String()
}

func randomFields(random *rand.Rand) frontmatter.Fields {
	pick := func() bool { return random.IntN(3) == 0 }
	var f frontmatter.Fields
	if pick() {
		f.Globs = []string{"**/*.{a,b}", "true", "# x", "- y", "@z"}[:1+random.IntN(5)]
	}
	if pick() {
		f.Activation = []frontmatter.Mode{frontmatter.Always, frontmatter.Auto, frontmatter.Glob, frontmatter.Manual}[random.IntN(4)]
	}
	if pick() {
		f.Targets = []string{"*"}
	}
	if pick() {
		f.Order = random.IntN(9) - 4
	}
	f.Root, f.Prompt = pick(), pick()
	if pick() {
		f.Include = []frontmatter.Reference{{Name: "a_b", At: "v1.0"}, {Name: "1", At: "2"}}
	}
	if pick() {
		f.Arguments = []frontmatter.Argument{{Name: "n: o", Description: "yes", Required: pick()}}
	}
	if pick() {
		f.Skill = &frontmatter.Skill{License: "1.0", Metadata: map[string]string{"on": "true"}}
	}
	if pick() {
		f.Extra = map[string]string{"cursor": "a: 1\n", "null": "b: [c]\n"}
	}
	return f
}

// Values of an argument are suggestions, and survive a merge; skill: false is kept.
func TestValuesAndNoSkill(t *testing.T) {
	const extra = "arguments:\n  - name: file\n    values: [a.go, b.go]\nskill: false\n"
	f, problems := frontmatter.Parse(extra)
	if len(problems) > 0 || len(f.Arguments) != 1 || !slices.Equal(f.Arguments[0].Values, []string{"a.go", "b.go"}) || !f.NoSkill || f.Skill != nil {
		t.Errorf("got %+v, %v", f, problems)
	}
	f.Order = 3
	merged, err := f.Merge(extra)
	if again, _ := frontmatter.Parse(merged); err != nil || !again.NoSkill || len(again.Arguments[0].Values) != 2 || again.Order != 3 {
		t.Errorf("merged to %s, %v", merged, err)
	}
}

package lint

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/editors"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// importedFiles reports what other programs make of the file that a ruleset was imported
// from.
func importedFiles(r ruleset.Ruleset) (found []Finding) {
	report := func(rule string, severity Severity, field, format string, args ...any) {
		found = append(found, Finding{r.Name, rule, severity, field, 1, 1, fmt.Sprintf(format, args...)})
	}
	if buried.MatchString(r.Markdown) {
		report("buried-front-matter", Warning, "markdown", "front matter in the text is text: no client reads it; with a tool, give it as extra")
	}
	if !strings.Contains(r.Extra, "triptych:") {
		return found
	}
	rule, _ := editors.FromRuleset(r)
	for client, own := range rule.Own {
		if own.File.Head != "" && !editors.IsStrict(own.File.Head) {
			severity := Warning
			if client == "cursor" {
				severity = Note // which writes globs so itself
			}
			report("strict-yaml", severity, "front matter", "the front matter of the file for %s is not YAML: programs that read it strictly lose its keys", client)
		}
		if own.File.Bare && strings.HasPrefix(r.Markdown, "---\n") && !rule.IsSkill {
			report("buried-front-matter", Warning, "markdown", "front matter without a line --- at its end is text: no client reads it")
		}
		inTests := slices.ContainsFunc(strings.Split(path.Dir(own.File.Path), "/"), func(dir string) bool { return testFolders[strings.ToLower(dir)] })
		if inTests && rule.Activation == editors.Always && !rule.Prompt && !rule.IsSkill {
			report("test-data", Warning, "front matter", "%s (%d bytes) is below a folder of tests and has no paths: %s loads it with every request", own.File.Path, len(r.Markdown), client)
		}
	}
	if form, has := rule.Own[editors.SkillForm]; has && form.File.Head != "" {
		name := editors.FrontText(form.File.Head, "name")
		if len(name) > 64 || !skillName.MatchString(name) {
			report("skill-name", Warning, "front matter", "the skill's name %q is not lower-case letters, digits and single hyphens: clients may refuse it", name)
		}
		if folder := rule.SkillFolder(); name != folder {
			report("skill-name", Warning, "front matter", "the skill's name %q is not that of its folder, %s", name, folder)
		}
	}
	return found
}

var testFolders = map[string]bool{"test": true, "tests": true, "fixture": true, "fixtures": true, "testdata": true, "__tests__": true, "__fixtures__": true}

// skillName matches the names of the Agent Skills specification, apart from their length.
var skillName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// buried matches front matter in a text, whose own stands before it, also behind comments or
// empty lines.
var buried = regexp.MustCompile(`^(?:\s*<!--(?s:.*?)-->\s*\n|[ \t]*\n)*---[ \t]*\n[A-Za-z_][\w.-]*:(?s:.*?)\n---[ \t]*(?:\n|$)`)

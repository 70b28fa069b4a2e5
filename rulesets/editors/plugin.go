package editors

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/rulesets/selection"
)

// PluginTarget is the target that stands for no client: rulesets as the skills of a plugin,
// in the form of Agent Plugins 1.0.0 (https://agent-plugins.org).
const PluginTarget = "plugin"

// PluginSkills is the folder of a plugin with its skills.
const PluginSkills = "skills"

// PluginFile returns the path below the folder of a ruleset's skill in a plugin that a file
// has; ok is false for other files.
func PluginFile(file string, name ruleset.Name) (below string, ok bool) {
	return strings.CutPrefix(file, PluginSkills+"/"+name.Slug()+"/")
}

// RenderPlugin returns the files that make skills of a plugin of rules. A rule that is no
// skill becomes one, which clients load by its description.
func RenderPlugin(rules []Rule) (files []File, notes []Note) {
	rules = slices.Clone(rules)
	slices.SortFunc(rules, func(a, b Rule) int { return selection.Compare(a.place(), b.place()) })
	for _, r := range rules {
		dir := PluginSkills + "/" + r.Name.Slug()
		note := Note{Client: PluginTarget, Rule: r.Name, Outcome: Native, Path: dir + "/" + ruleset.MainFile}
		main := r.pluginText()
		switch err := r.checkPlugin(main); {
		case err != nil:
			notes = append(notes, Note{Client: PluginTarget, Rule: r.Name, Outcome: Skipped, Reason: err.Error()})
			continue
		case !r.IsSkill:
			note.Outcome, note.Reason = Projected, "a plugin has no rules: a skill, which is loaded by its description"
		}
		notes = append(notes, note)
		add := func(path string, content []byte) {
			files = append(files, File{Path: path, Content: content, Parts: []Part{{r.Name, r.Rev}}, Reaches: []string{PluginTarget}})
		}
		add(note.Path, main)
		for _, f := range r.Files {
			add(dir+"/"+f.Path, f.Data)
		}
	}
	return files, notes
}

// skillForm is the form of a skill's name (https://agentskills.io/specification).
var skillForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// The limits of a skill, in characters.
const (
	maxSkillName        = 64
	maxSkillDescription = 1024
)

// checkPlugin returns the reason why a rule with a SKILL.md is no skill of a plugin.
func (r Rule) checkPlugin(main []byte) error {
	text, _ := decode(main)
	parts, err := splitHead(text)
	if err != nil {
		return err
	}
	m := splitMapping(parts.front)
	description, name := m.scalar("description"), r.Name.Slug()
	switch {
	case r.NoSkill:
		return errors.New("it says skill: false")
	case !(&frontmatter.Fields{Targets: r.Targets}).For(PluginTarget):
		return errors.New("its targets do not name plugin")
	case !skillForm.MatchString(name) || len(name) > maxSkillName:
		return fmt.Errorf("%s is no name of a skill", name)
	case description == "":
		return errors.New("the description is missing")
	case utf8.RuneCountInString(description) > maxSkillDescription:
		return fmt.Errorf("the description has more than %d characters", maxSkillDescription)
	}
	return nil
}

// asSkill returns a rule as others get it: its SKILL.md has front matter, with the name of the
// ruleset unless keeps says that the name in it may stay.
func (r Rule) asSkill(keeps func(name string) bool) Rule {
	form := r.Own[SkillForm].File
	parts, err := splitHead(form.Head)
	if err != nil || parts.open == "" {
		form = OwnFile{}
	} else if m := splitMapping(parts.front); !keeps(m.scalar("name")) {
		m.set("name", textLine("name", r.Name.Slug()))
		form.Head = parts.open + endLine(m.String()) + parts.end
	}
	r.Own = map[string]Own{SkillForm: {File: form}}
	return r
}

// inPlugin returns a rule with the name that skills of a plugin need.
func (r Rule) inPlugin() Rule {
	return r.asSkill(func(name string) bool { return name == r.Name.Slug() })
}

// pluginText returns a rule as the SKILL.md of a plugin, which each reader of YAML understands.
func (r Rule) pluginText() []byte { return StrictFront(skill(r.inPlugin())) }

// errPluginForm is returned for an edit of a skill in a plugin that the ruleset cannot have.
var errPluginForm = errors.New("only the description, the text and the keys of a skill can be changed in a plugin")

// readPlugin reads the SKILL.md that a plugin has of a rule.
func readPlugin(data []byte, base Rule) (Rule, error) {
	read, err := parseSkill(data, base.Name.Slug(), base.inPlugin())
	if err != nil {
		return Rule{}, err
	}
	base.Description, base.Body = read.Description, read.Body
	if base.IsSkill {
		base.Skill = read.Skill
	}
	if withoutCR(base.pluginText()) != withoutCR(data) {
		return Rule{}, errPluginForm
	}
	return base, nil
}

// withoutCR returns a text with line ends of \n.
func withoutCR(text []byte) string { return strings.ReplaceAll(string(text), "\r\n", "\n") }

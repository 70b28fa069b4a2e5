package editors

import (
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// SkillForm is the key of [Rule.Own] with the form of a SKILL.md that was not written by
// [Render]. All clients read the same file.
const SkillForm = "skill"

// SkillText returns a ruleset as a SKILL.md. One that was imported has the bytes of its
// file, as far as its keys mean the same, and the name of the ruleset if the file's is
// another one; ok is false for a ruleset that was not imported.
func SkillText(r ruleset.Ruleset) (text []byte, ok bool) {
	if !strings.Contains(r.Extra, SkillForm) || !strings.Contains(r.Extra, ownKey) {
		return nil, false // most rulesets; reading their front matter would take long
	}
	rule, _ := FromRuleset(r)
	parts, err := splitHead(rule.Own[SkillForm].File.Head)
	if err != nil || parts.open == "" {
		return nil, false
	}
	return skill(rule.asSkill(func(name string) bool { return Snake(name) == string(r.Name) })), true
}

// StrictFront returns a file with front matter that every reader of YAML understands, for
// those that need its values. Most files are returned as they are.
func StrictFront(file []byte) []byte {
	text, form := decode(file)
	parts, err := splitHead(text)
	if err != nil || parts.open == "" {
		return file
	}
	front, strict := frontmatter.Lenient(parts.front)
	if strict {
		return file
	}
	return form.encode(parts.open + front + parts.end + "\n" + parts.body)
}

// SkillFolder returns the name of a skill's folder: the one that it was imported from, or
// one made of its name.
func (r Rule) SkillFolder() string {
	if folder := r.Own[SkillForm].File.Path; folder != "" && !strings.ContainsAny(folder, `/\`) && folder[0] != '.' {
		return folder
	}
	return r.Name.Slug()
}

// skill returns a rule as the SKILL.md of a folder.
func skill(r Rule) []byte {
	form := r.Own[SkillForm].File
	parts, err := splitHead(form.Head)
	switch {
	case form.Bare && r.Skill == "" && sameDescription("", r):
		return form.encode(r.Body)
	case err != nil || parts.open == "":
		front := textLine("name", r.Name.Slug()) + textLine("description", r.Description)
		return []byte(fenced(addKeys(front, r.Skill), r.Body))
	}
	m := splitMapping(parts.front)
	if keys := keysOfSkill(&m); keys != r.Skill {
		dropSkillKeys(&m)
		rest := splitMapping(r.Skill)
		for _, it := range rest.items {
			m.set(it.key, it.text)
		}
	}
	if !sameDescription(m.scalar("description"), r) {
		m.set("description", textLine("description", r.Description))
	}
	front := m.String()
	if front != parts.front {
		front = endLine(front)
	}
	gap := "\n"
	if form.Tight {
		gap = ""
	}
	return form.encode(parts.open + front + parts.end + gap + r.Body)
}

// sameDescription reports whether a description that is written is that of a rule. One
// that is not written was made of the text.
func sameDescription(written string, r Rule) bool {
	return oneLine(written) == oneLine(r.Description) || written == "" && r.Description == Describe(r.Body)
}

// keysOfSkill returns the keys of a SKILL.md besides name and description, in the form of
// [Rule.Skill].
func keysOfSkill(m *mapping) string {
	var rest strings.Builder
	for _, it := range m.items {
		if it.key != "name" && it.key != "description" {
			text, _ := frontmatter.Lenient(endLine(it.text))
			rest.WriteString(text)
		}
	}
	read := Rule{IsSkill: true, Skill: rest.String()}
	return skillKeys(read.skill())
}

// dropSkillKeys removes the keys that [Rule.Skill] can have.
func dropSkillKeys(m *mapping) {
	for _, it := range append([]item{}, m.items...) {
		if it.key != "" && it.key != "name" && it.key != "description" && it.key != "metadata" {
			m.delete(it.key)
		}
	}
}

// parseSkill reads the SKILL.md of a folder into base. The file is rendered from the
// result with the same bytes.
func parseSkill(data []byte, folder string, base Rule) (Rule, error) {
	text, form := decode(data)
	parts, err := splitHead(text)
	if err != nil {
		return base, err
	}
	isNew := base.Name == ""
	m := splitMapping(parts.front)
	base.setText(m.scalar("description"), parts.body)
	if base.Description == "" {
		base.Description = Describe(base.Body)
	}
	if isNew {
		if base.Name, err = skillName(m.scalar("name"), folder); err != nil {
			return base, err
		}
	}
	base.IsSkill, base.Skill = true, keysOfSkill(&m)
	if !isNew && string(skill(base)) == string(data) {
		return base, nil
	}
	if folder != base.Name.Slug() {
		form.Path = folder
	}
	form.Base = base.Own[SkillForm].File.Base
	form.Head, form.Tight, form.Bare = parts.open+parts.front+parts.end, parts.tight && parts.open != "", parts.open == ""
	own := map[string]Own{SkillForm: {File: form}}
	for name, o := range base.Own {
		if name != SkillForm {
			own[name] = o
		}
	}
	base.Own = own
	return base, nil
}

// skillName returns the name of a skill's ruleset: the one in the file if it is one of a
// skill, else that of the folder.
func skillName(given, folder string) (ruleset.Name, error) {
	if name, err := ruleset.ParseName(Snake(given)); err == nil && name.Slug() == given {
		return name, nil
	}
	if name, err := ruleset.ParseName(Snake(folder)); err == nil {
		return name, nil
	}
	return ruleset.ParseName(Snake(given))
}

// IsStrict reports whether front matter with its fences is YAML.
func IsStrict(head string) bool {
	parts, err := splitHead(head)
	if err != nil {
		return true
	}
	_, strict := frontmatter.Lenient(parts.front)
	return strict
}

// FrontText returns the text of a key of front matter with its fences, "" if there is none.
func FrontText(head, key string) string {
	parts, err := splitHead(head)
	if err != nil {
		return ""
	}
	m := splitMapping(parts.front)
	return m.scalar(key)
}

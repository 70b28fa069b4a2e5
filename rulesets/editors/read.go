package editors

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Read returns the rules in a file that was made by [Render] and perhaps edited. Bases
// are the rules that it was made of, by name; what the file cannot express is taken
// from them. An error names text that belongs to no rule.
func Read(file string, data []byte, bases map[ruleset.Name]Rule) ([]Rule, error) {
	if b, err := SplitBlock(data); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	} else if b.Found {
		return b.read(file, bases)
	}
	for name, base := range bases {
		if base.Own[SharedForm].File.Path == file {
			if len(bases) > 1 {
				return nil, fmt.Errorf("%s: the block of triptych is gone", file)
			}
			text, _ := decode(data)
			base = bases[name]
			base.setText("", text)
			return []Rule{base}, nil
		}
	}
	if len(bases) != 1 {
		return nil, fmt.Errorf("%s: it is the file of one rule, not of %d", file, len(bases))
	}
	for _, base := range bases {
		rule, err := readFile(file, data, base)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		return []Rule{rule}, nil
	}
	return nil, nil
}

func (b Block) read(file string, bases map[ruleset.Name]Rule) ([]Rule, error) {
	if b.Stray != "" {
		return nil, fmt.Errorf("%s: text in the block of triptych belongs to no rule: %q", file, clip(b.Stray))
	}
	var rules []Rule
	for _, base := range bases {
		if base.Own[SharedForm].File.Path == file && !b.has(base.Name) {
			text, _ := decode([]byte(b.Before + b.After))
			base.setText("", text)
			rules = append(rules, base)
		}
	}
	for _, s := range b.Sections {
		base, ok := bases[s.Name]
		if !ok {
			return nil, fmt.Errorf("%s: the rule %s was not written there", file, s.Name)
		}
		rules = append(rules, s.Merge(base))
	}
	return rules, nil
}

// readFile reads the file of one rule: a skill, a command or a rule of a client.
func readFile(file string, data []byte, base Rule) (Rule, error) {
	if below, ok := PluginFile(file, base.Name); ok && below == ruleset.MainFile {
		return readPlugin(data, base)
	}
	if base.IsSkill && path.Base(file) == "SKILL.md" {
		return parseSkill(data, path.Base(path.Dir(file)), base)
	}
	if base.Prompt {
		if p := PlaceOf(file); p.Use == Command && p.Client != nil {
			return p.Client.parseCommand(p, data, base)
		}
	}
	c := Of(file)
	if c == nil {
		return Rule{}, fmt.Errorf("it is no rule file of a known client")
	}
	return c.Parse(file, data, &base)
}

// Import reads a file that was not made by [Render], as the clients read it that know
// files in its place. A rule below the root of the project is one for its folder.
func Import(p Place, data []byte) (Rule, error) {
	switch {
	case p.Use == SkillFile:
		rule, err := parseSkill(data, path.Base(path.Dir(p.Dir+"/"+p.Rest)), Rule{Activation: Always})
		rule.setBase(SkillForm, baseOfSkills(p.Dir))
		return rule, err
	case p.Use == SharedFile:
		return importShared(p, data)
	case p.Use == Command && p.Owned():
		rule, err := p.Client.parseCommand(p, data, Rule{Activation: Always})
		rule.setBase(p.Client.form(), strings.TrimPrefix(p.Base, "."))
		return rule, err
	case p.Use == RuleFile && p.Owned():
		return p.importOwn(data)
	}
	return Rule{}, fmt.Errorf("%s is not written by triptych", p.Dir)
}

// setBase notes the folder of the project that the folder of a file was in, "" for the root.
func (r *Rule) setBase(form, base string) {
	if own, ok := r.Own[form]; ok && base != "" {
		own.File.Base = base
		r.Own[form] = own
	}
}

// base returns the folder of the project that the folder of a file was in, "" for the root.
func (r Rule) base(form string) string {
	base := r.Own[form].File.Base
	if base == "" || path.Clean("/"+base) != "/"+base {
		return ""
	}
	return base
}

// baseOfSkills returns the folder of the project that a folder of skills is in, "" for the
// root and for a folder in which no client looks for skills.
func baseOfSkills(dir string) string {
	for i := range Clients {
		for _, known := range Clients[i].Skills {
			if base, ok := strings.CutSuffix(dir, "/"+known); ok {
				return base
			}
		}
	}
	return ""
}

// Owned reports whether pull writes rules, prompts or skills to this place, each as a file
// of its own.
func (p Place) Owned() bool {
	switch {
	case p.Use == SkillFile:
		return true
	case p.Client == nil:
		return false
	case p.Use == Command:
		return p.Client.Commands != nil && strings.HasSuffix(p.Rest, p.Client.Commands.Ext)
	}
	return p.Use == RuleFile && p.Client.Folder != nil && (p.Client.Folder.Dir == p.Dir || p.Client.elder(p.Dir) != nil)
}

// KeepPlace returns a ruleset that is written to the file at a place again, for one whose
// name is not made of that file's.
func KeepPlace(r ruleset.Ruleset, p Place) (ruleset.Ruleset, error) {
	if !p.Owned() {
		return r, nil
	}
	form, file := SkillForm, path.Base(path.Dir(p.Dir+"/"+p.Rest))
	if p.Use != SkillFile {
		form, file = p.Client.form(), p.Rest
	}
	rule, _ := FromRuleset(r)
	own := rule.Own[form]
	if own.File.Path != "" {
		return r, nil
	}
	own.File.Path = file
	if rule.Own == nil {
		rule.Own = map[string]Own{}
	}
	rule.Own[form] = own
	return rule.Update(r)
}

// importOwn reads a file of one rule.
func (p Place) importOwn(data []byte) (Rule, error) {
	c := p.Client
	rule, err := c.Parse(p.Dir+"/"+p.Rest, data, nil)
	if err != nil || p.Base == "." {
		return rule, err
	}
	text, form := decode(data)
	parts, err := splitHead(text)
	if err != nil {
		return rule, err
	}
	form.Path, form.Base, form.Dir = p.Rest, p.Base, rule.Own[c.form()].File.Dir
	form.Head, form.Tight, form.Bare = parts.open+parts.front+parts.end, parts.tight && parts.open != "", parts.open == ""
	rule.Own = map[string]Own{c.form(): {File: form}}
	rule.Activation, rule.Globs = In(p.Base, rule.Activation, rule.Globs)
	return rule, nil
}

// within returns a rule as it is in the folder of a folder of rules that it was imported
// from; ok is false if the rule means something else by now.
func (c *Client) within(r Rule) (inner Rule, ok bool) {
	form := r.Own[c.form()].File
	if form.Base == "" || strings.HasPrefix(form.Base, "/") || path.Clean("/"+form.Base) != "/"+form.Base {
		return r, false
	}
	parts, err := splitHead(form.Head)
	if err != nil {
		return r, false
	}
	m := splitMapping(parts.front)
	got := c.Folder.read(&m)
	act, globs := In(form.Base, got.activation, got.globs)
	if act != r.Activation || !slices.Equal(globs, r.Globs) {
		return r, false
	}
	r.Activation, r.Globs = got.activation, got.globs
	return r, true
}

// SharedForm is the key of [Rule.Own] with the form of a file such as AGENTS.md that a
// rule is the text of.
const SharedForm = "file"

// SameText reports whether a text is that of a rule, apart from the ends of its lines and
// empty lines at its ends.
func SameText(text string, r Rule) bool {
	plain := func(s string) string {
		return strings.TrimSpace(strings.ReplaceAll(strings.TrimPrefix(s, byteOrderMark), "\r\n", "\n"))
	}
	return plain(text) == plain(r.Body)
}

// SharedNames returns the names of files that clients load by their name, sorted.
func SharedNames() []string {
	names := map[string]bool{}
	for _, s := range Spots {
		if s.Use == SharedFile {
			names[s.Dir] = true
		}
	}
	return sortedKeys(names)
}

// ErrFrontMatter is returned for a file such as AGENTS.md that has front matter, which the
// clients take for text.
var ErrFrontMatter = errors.New("it has front matter")

// OutsideOfBlock returns the text of a file without the block that pull wrote into it;
// isBlock reports whether there is one whose marks are whole.
func OutsideOfBlock(data []byte) (text string, isBlock bool) {
	block, err := SplitBlock(data)
	if err != nil {
		return string(data), false
	}
	return block.Before + block.After, block.Found
}

// importShared reads the text of a shared file, without the block that pull has written.
func importShared(p Place, data []byte) (Rule, error) {
	block, err := SplitBlock(data)
	if err != nil {
		return Rule{}, err
	}
	text, form := decode([]byte(block.Before + block.After))
	if parts, err := splitHead(text); err != nil || parts.open != "" {
		return Rule{}, ErrFrontMatter
	}
	if strings.TrimSpace(text) == "" {
		return Rule{}, errors.New("it has no text of its own")
	}
	name := strings.TrimLeft(path.Base(p.Rest), ".")
	rule := Rule{Description: Describe(text), Body: text}
	if rule.Name, err = ruleset.ParseName(Snake(strings.TrimSuffix(name, path.Ext(name)))); err != nil {
		return rule, err
	}
	rule.Activation, rule.Globs = In(p.Base, Always, nil)
	if owner := importerOf(path.Base(p.Rest)); owner != "" && importsRules(text) {
		rule.Targets = []string{owner} // to others, @path is text
	}
	form.Path = path.Join(p.Base, p.Rest)
	rule.Own = map[string]Own{SharedForm: {File: form}}
	return rule, nil
}

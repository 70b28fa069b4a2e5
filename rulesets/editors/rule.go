package editors

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/rulesets/selection"
)

// An Activation says when a client loads a rule.
type Activation = frontmatter.Mode

// The activations.
const (
	Always = frontmatter.Always
	Glob   = frontmatter.Glob
	Auto   = frontmatter.Auto
	Manual = frontmatter.Manual
)

// A Rule is a ruleset as clients see it.
type Rule struct {
	Name        ruleset.Name
	Rev         int
	Description string
	Layer       selection.Layer
	Globs       []string
	Activation  Activation // never empty; [Glob] only with globs
	Targets     []string   // names of clients; empty means all
	Order       int        // lower comes first
	Prompt      bool       // a command that a person starts, not a rule
	Hint        string     // the arguments of a command, as clients show them
	Arguments   []string   // their names
	IsSkill     bool
	NoSkill     bool   // it says skill: false
	Skill       string // the keys of a skill, as lines of YAML
	Files       []Attachment
	Body        string
	Own         map[string]Own // by the name of a client
	// InPlace has the files of the project that are this rule's text already: the one that
	// it was imported from, and links to it.
	InPlace []string
}

// An Attachment is a file of a skill beside its SKILL.md.
type Attachment struct {
	Path string // below the folder of the skill, with /
	Data []byte
}

// Own has the properties of a rule that concern one client.
type Own struct {
	Keys string // front matter that only this client reads, as lines of YAML
	File OwnFile
}

// OwnFile is the form of a file that was not written by [Render].
type OwnFile struct {
	Path  string `yaml:"path,omitempty"`  // below the folder of rules, where it is not made of the name
	Dir   string `yaml:"dir,omitempty"`   // the folder of rules or commands, where it is an older one of the client
	Head  string `yaml:"head,omitempty"`  // the front matter with its fences
	Text  string `yaml:"text,omitempty"`  // the text of a command with the client's own placeholders
	Base  string `yaml:"base,omitempty"`  // the folder of the project that the folder of rules is in
	Tight bool   `yaml:"tight,omitempty"` // no empty line follows the front matter
	Bare  bool   `yaml:"bare,omitempty"`  // there is no front matter
	CRLF  bool   `yaml:"crlf,omitempty"`
	BOM   bool   `yaml:"bom,omitempty"`
}

// ownKey is the key of an [OwnFile] among the keys of a client.
const ownKey = "triptych"

// FromRuleset returns a ruleset as a rule, and the keys of its front matter that
// could not be read and count as missing.
func FromRuleset(r ruleset.Ruleset) (Rule, []frontmatter.Problem) {
	fields, problems := frontmatter.Of(r)
	rule := Rule{
		Name: r.Name, Rev: r.Rev, Description: r.Description, Layer: selection.LayerOfRuleset(r.Meta), Body: r.Markdown,
		Globs: fields.Globs, Activation: activation(&fields), Targets: canonicalNames(fields.Targets), Order: fields.Order,
		Prompt: fields.IsPrompt(), Hint: argumentHint(fields.Arguments), Arguments: namesOf(fields.Arguments),
		IsSkill: fields.Skill != nil, NoSkill: fields.NoSkill, Skill: skillKeys(fields.Skill),
	}
	for client, keys := range fields.Extra {
		own, err := readOwn(keys)
		if err != nil {
			problems = append(problems, frontmatter.Problem{Key: "extra." + client, Reason: err.Error()})
		}
		if rule.Own == nil {
			rule.Own = map[string]Own{}
		}
		rule.Own[client] = own
	}
	return rule, problems
}

// activation returns the mode of front matter. Without globs no file matches, so that
// such a rule waits for a person.
func activation(f *frontmatter.Fields) Activation {
	if mode := f.Mode(); mode != Glob || len(f.Globs) > 0 {
		return mode
	}
	return Manual
}

// argumentHint writes a prompt's arguments as clients show them: <file> [depth].
func argumentHint(arguments []frontmatter.Argument) string {
	var names []string
	for _, a := range arguments {
		if a.Required {
			names = append(names, "<"+a.Name+">")
		} else {
			names = append(names, "["+a.Name+"]")
		}
	}
	return strings.Join(names, " ")
}

// canonicalNames returns names of clients as the table has them.
func canonicalNames(names []string) (all []string) {
	for _, name := range names {
		all = append(all, Canonical(name))
	}
	return all
}

func namesOf(arguments []frontmatter.Argument) (names []string) {
	for _, a := range arguments {
		names = append(names, a.Name)
	}
	return names
}

// skillKeys returns the keys of a skill as lines of YAML.
func skillKeys(s *frontmatter.Skill) string {
	if s == nil {
		return ""
	}
	text, err := (&frontmatter.Fields{Skill: s}).Merge("")
	if err != nil {
		return ""
	}
	m := splitMapping(text)
	return lines(m.node("skill"))
}

// readOwn divides the keys of a client.
func readOwn(keys string) (own Own, err error) {
	m := splitMapping(keys)
	if n := m.node(ownKey); n != nil {
		err = n.Decode(&own.File)
		m.delete(ownKey)
	}
	own.Keys = m.String()
	return own, err
}

// Update returns base with the content of the rule. Front matter that rules do not
// have stays as it is, and so do keys whose value did not change.
func (r Rule) Update(base ruleset.Ruleset) (ruleset.Ruleset, error) {
	fields, _ := frontmatter.Of(base)
	fields.Globs = r.Globs
	if len(fields.Targets) == 0 {
		fields.Targets = r.Targets
	}
	if activation(&fields) != r.Activation {
		fields.Activation = ""
		if activation(&fields) != r.Activation {
			fields.Activation = r.Activation
		}
	}
	fields.Prompt = fields.Prompt || r.Prompt && !fields.IsPrompt()
	if !slices.Equal(namesOf(fields.Arguments), r.Arguments) {
		fields.Arguments = nil
		for _, name := range r.Arguments {
			fields.Arguments = append(fields.Arguments, frontmatter.Argument{Name: name})
		}
	}
	if r.IsSkill != (fields.Skill != nil) || r.Skill != skillKeys(fields.Skill) {
		fields.Skill = r.skill()
	}
	extra, err := r.ownKeys()
	if err != nil {
		return base, err
	}
	fields.Extra = extra
	fresh := base
	fresh.Name, fresh.Description, fresh.Markdown = r.Name, r.Description, r.Body
	fresh.Extra, err = fields.Merge(base.Extra)
	return fresh, err
}

// skill returns the keys of a skill.
func (r Rule) skill() *frontmatter.Skill {
	if !r.IsSkill {
		return nil
	}
	if fields, _ := frontmatter.Parse("skill:\n" + indent(r.Skill)); fields.Skill != nil {
		return fields.Skill
	}
	return &frontmatter.Skill{}
}

// ownKeys returns the keys of each client as lines of YAML.
func (r Rule) ownKeys() (map[string]string, error) {
	var all map[string]string
	for client, own := range r.Own {
		text := own.Keys
		if own.File != (OwnFile{}) {
			file, err := yaml.Marshal(map[string]OwnFile{ownKey: own.File})
			if err != nil {
				return nil, err
			}
			text = endLine(text) + string(file)
		}
		if all == nil {
			all = map[string]string{}
		}
		all[client] = text
	}
	return all, nil
}

// matchesAll reports whether globs match every file in every dialect.
func matchesAll(globs []string) bool {
	return slices.ContainsFunc(globs, func(g string) bool { return g == "**" || g == "**/*" })
}

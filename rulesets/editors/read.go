package editors

import (
	"fmt"
	"path"
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
	if base.IsSkill && path.Base(file) == "SKILL.md" {
		return parseSkill(data, path.Base(path.Dir(file)), base)
	}
	if base.Prompt {
		for _, c := range Clients {
			if c.Commands != nil && strings.HasPrefix(file, c.Commands.Dir+"/") && strings.HasSuffix(file, c.Commands.Ext) {
				return c.Commands.parse(data, base)
			}
		}
	}
	c := Of(file)
	if c == nil {
		return Rule{}, fmt.Errorf("it is no rule file of a known client")
	}
	return c.Parse(file, data, &base)
}

// Import reads a rule file of a client, or a skill, that was not made by [Render].
func Import(file string, data []byte) (Rule, error) {
	if !IsSkill(file) {
		return Of(file).Parse(file, data, nil)
	}
	return parseSkill(data, path.Base(path.Dir(file)), Rule{Activation: Always})
}

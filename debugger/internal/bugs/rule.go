package bugs

import (
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs/syntax"
)

// A rule describes the code of a risk in some languages.
type rule struct {
	id       string
	kind     Kind
	families []syntax.Family
	sure     int      // how often a match is a bug, in per cent: as judged by reading, or an estimate
	first    string   // where a match begins
	then     []string // one of these must follow in the same block; it is the place of the risk
	unless   []string // none of these may lie between; without then, none may precede first in the function
	never    []string // none of these may follow in the block
	atFirst  bool     // the place of the risk is first although there is a then
	because  string   // what is wrong, in a few words
}

// certainty returns how often a match of r is a bug, from 0 to 1.
func (r *rule) certainty() float64 { return float64(r.sure) / 100 }

// A compiled is a rule with parsed patterns.
type compiled struct {
	*rule
	first               pattern
	then, unless, never []pattern
}

// compileRule parses the patterns of r, which share its variables.
func compileRule(r *rule) (*compiled, error) {
	var vars variables
	c := &compiled{rule: r}
	var err error
	if c.first, err = compile(r.first, &vars); err != nil {
		return nil, fmt.Errorf("rule %s: %w", r.id, err)
	}
	lists := []struct {
		texts []string
		to    *[]pattern
	}{{r.then, &c.then}, {r.unless, &c.unless}, {r.never, &c.never}}
	for _, list := range lists {
		for _, text := range list.texts {
			p, err := compile(text, &vars)
			if err != nil {
				return nil, fmt.Errorf("rule %s: %w", r.id, err)
			}
			*list.to = append(*list.to, p)
		}
	}
	return c, nil
}

// A ruleSet holds the rules of one family of languages by how they begin.
type ruleSet struct {
	byWord map[string][]*compiled // rules whose first token is known
	open   []*compiled            // other rules
}

// A rulebook holds the rules of all families.
type rulebook map[syntax.Family]*ruleSet

// newRulebook compiles rules.
func newRulebook(rules []rule) (rulebook, error) {
	book := rulebook{}
	for i := range rules {
		c, err := compileRule(&rules[i])
		if err != nil {
			return nil, err
		}
		for _, f := range rules[i].families {
			if book[f] == nil {
				book[f] = &ruleSet{byWord: map[string][]*compiled{}}
			}
			book[f].add(c)
		}
	}
	return book, nil
}

// add adds a rule to the set.
func (s *ruleSet) add(c *compiled) {
	e := c.first[0]
	if e.op == statementStart && len(c.first) > 1 {
		e = c.first[1]
	}
	if e.op != literal {
		s.open = append(s.open, c)
		return
	}
	for _, word := range e.words {
		s.byWord[word] = append(s.byWord[word], c)
	}
}

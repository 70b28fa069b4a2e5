package bugs

import (
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs/syntax"
)

// A rule says what a risk looks like in the code of some languages.
type rule struct {
	id       string
	kind     Kind
	families []syntax.Family
	sure     int      // how often the pattern is the bug, in per cent; a judgement
	first    string   // where it begins
	then     []string // one of these follows in the same block, at the place of the risk
	unless   []string // none of these lies between, or in front of first in the function when there is no then
	never    []string // none of these follows in the block
	atFirst  bool     // the place is first's though there is a then
	because  string   // what is wrong, in a few words
}

// A compiled is a rule that is ready to be matched.
type compiled struct {
	*rule
	first               pattern
	then, unless, never []pattern
}

// compileRule reads the patterns of r. All share its variables.
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

// A ruleSet is the rules of one family of languages, sorted by how they begin.
type ruleSet struct {
	byWord map[string][]*compiled // rules whose first token is known
	open   []*compiled            // the others
}

// A rulebook has the rules of all families.
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

// add sorts a rule in.
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

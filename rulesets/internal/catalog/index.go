package catalog

import (
	"github.com/triptych-mcp/triptych/rulesets/internal/fulltext"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// An index holds the searchable facts of the rulesets of a store.
type index struct {
	entries map[ruleset.Name]*entry
	all     []*entry // in no order
	words   *fulltext.Index[*entry]
	pool    pool
}

func newIndex() *index {
	return &index{entries: map[ruleset.Name]*entry{}, words: fulltext.New[*entry](), pool: newPool()}
}

// put adds a ruleset, or replaces the one of its name.
func (x *index) put(r ruleset.Ruleset) {
	x.remove(r.Name)
	e := x.pool.newEntry(r)
	e.at = len(x.all)
	x.entries[e.name], x.all = e, append(x.all, e)
	x.words.Put(e, document(r, e.fields))
}

func (x *index) remove(name ruleset.Name) {
	e, ok := x.entries[name]
	if !ok {
		return
	}
	last := x.all[len(x.all)-1]
	last.at, x.all[e.at] = e.at, last
	x.all[len(x.all)-1] = nil
	x.all = x.all[:len(x.all)-1]
	delete(x.entries, name)
	x.words.Remove(e)
}

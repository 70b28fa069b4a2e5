package catalog

import (
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
	"github.com/triptych-mcp/triptych/rulesets/internal/fulltext"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/rulesets/selection"
)

// An entry is a ruleset in the index.
type entry struct {
	name     ruleset.Name
	at       int // its index in the list of all
	created  int64
	modified int64
	tags     *tagSet
	fields   *frontmatter.Fields // shared by rulesets with the same front matter
}

// A tagSet is the tags of rulesets, shared by all of a layer that have the same.
type tagSet struct {
	tags []string
	ids  []int // of the tags, in the order of the names
	// layer is that of the tags or of the store, see [selection.LayerOfRuleset].
	layer selection.Layer
}

func (t *tagSet) has(wanted []string) bool {
	for _, tag := range wanted {
		found := false
		for _, one := range t.tags {
			found = found || strings.EqualFold(one, tag)
		}
		if !found {
			return false
		}
	}
	return true
}

// A pool shares what many rulesets have in common. What rulesets leave that have gone
// is small, and goes when the store is read anew.
type pool struct {
	sets   map[string]*tagSet
	fields map[string]*frontmatter.Fields // by whether there is a description, and the text
	ids    map[string]int
	names  []string // of tags, by id
}

func newPool() pool {
	return pool{sets: map[string]*tagSet{}, fields: map[string]*frontmatter.Fields{}, ids: map[string]int{}}
}

func (p *pool) tagSet(m ruleset.Meta) *tagSet {
	tags, layer := m.Tags, selection.LayerOfRuleset(m)
	key := strings.Join(tags, "\x00") + "\x00" + layer.String()
	if set, ok := p.sets[key]; ok {
		return set
	}
	set := &tagSet{tags: append([]string{}, tags...), layer: layer}
	for _, tag := range tags {
		id, ok := p.ids[tag]
		if !ok {
			id = len(p.names)
			p.ids[tag], p.names = id, append(p.names, tag)
		}
		set.ids = append(set.ids, id)
	}
	p.sets[key] = set
	return set
}

func (p *pool) fieldsOf(r ruleset.Ruleset) *frontmatter.Fields {
	key := r.Extra
	if r.Description == "" {
		key = "\x00" + key
	}
	if f, ok := p.fields[key]; ok {
		return f
	}
	f, _ := frontmatter.Of(r) // lint reports problems
	p.fields[strings.Clone(key)] = &f
	return &f
}

// newEntry returns the entry of a ruleset.
func (p *pool) newEntry(r ruleset.Ruleset) *entry {
	return &entry{
		name: ruleset.Name(strings.Clone(string(r.Name))), created: r.CreatedAt.Unix(), modified: r.LastModified.Unix(),
		tags: p.tagSet(r.Meta), fields: p.fieldsOf(r),
	}
}

// dueOn reports whether the review of a ruleset is due on a day, such as 2026-11-30.
func (e *entry) dueOn(day string) bool {
	return e.fields.ReviewAfter != "" && e.fields.ReviewAfter < day
}

// The weights of words by the place where they are.
const (
	nameWeight        = 6
	tagWeight         = 4
	descriptionWeight = 3
	headingWeight     = 2
	globWeight        = 1
)

// document returns the text of a ruleset for the index of words.
func document(r ruleset.Ruleset, f *frontmatter.Fields) fulltext.Document {
	return fulltext.Document{
		{Text: string(r.Name), Weight: nameWeight},
		{Text: strings.Join(r.Tags, " "), Weight: tagWeight},
		{Text: r.Description, Weight: descriptionWeight},
		{Text: headings(r.Markdown), Weight: headingWeight - 1}, // they are in the body as well
		{Text: r.Markdown, Weight: 1},
		{Text: strings.Join(f.Globs, " "), Weight: globWeight},
		{Text: strings.Join(f.Targets, " "), Weight: globWeight},
	}
}

// headings returns the headings of a Markdown text, without those in code.
func headings(markdown string) string {
	if !strings.Contains(markdown, "#") {
		return ""
	}
	var b strings.Builder
	fenced := false
	for line := range strings.Lines(markdown) {
		trimmed := strings.TrimLeft(line, " ")
		if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
			fenced = !fenced
		}
		if !fenced && strings.HasPrefix(trimmed, "#") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// differs reports whether the list of the store has other times than the entry.
func (e *entry) differs(m ruleset.Meta) bool {
	return e.created != m.CreatedAt.Unix() || e.modified != m.LastModified.Unix()
}

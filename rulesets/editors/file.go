package editors

import (
	"bytes"
	"cmp"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// An Outcome says how a client gets a rule.
type Outcome string

// The outcomes.
const (
	Native    Outcome = "native"
	Projected Outcome = "projected"
	Skipped   Outcome = "skipped"
)

// project returns the activation that a rule has in a folder, and how it got it. The
// activation of a skipped rule is "".
func (f *Folder) project(act Activation) (Activation, Outcome) {
	to, changed := f.Projects[act]
	switch {
	case !changed:
		return act, Native
	case to == "":
		return "", Skipped
	}
	return to, Projected
}

// activate returns the activation with which a client loads a rule, and how it got it.
// A rule that came from a file of the client has that file's activation, even where
// others would be projected.
func (c *Client) activate(r Rule) (Activation, Outcome) {
	own := r.Own[c.form()].File
	if own.Head != "" || own.Bare {
		parts, err := splitHead(own.Head)
		m := splitMapping(parts.front)
		if err == nil && c.Folder.means(&m, r, r.Activation, Describe(r.Body)) {
			return r.Activation, Native
		}
	}
	return c.Folder.project(r.Activation)
}

// form returns the client whose form of files a client has.
func (c *Client) form() string { return cmp.Or(c.FormOf, c.Name) }

// PathOf returns the path of a rule's own file in a client's folder.
func (c *Client) PathOf(r Rule) string {
	if own := r.Own[c.form()].File.Path; own != "" && path.Clean("/"+own) == "/"+own {
		return c.Folder.Dir + "/" + own
	}
	return c.Folder.Dir + "/" + r.Name.Slug() + c.Folder.Ext
}

// file returns the content of a rule's own file, for a rule that is loaded as act.
func (c *Client) file(r Rule, act Activation) []byte {
	own := r.Own[c.form()]
	text := ""
	switch {
	case own.File.Head != "":
		text = c.rewrite(r, act, own.File) + r.Body
	case own.File.Bare && c.Folder.means(&mapping{}, r, act, Describe(r.Body)):
		text = r.Body
	default:
		text = fenced(addKeys(c.Folder.front(r, act, "", ""), own.Keys), r.Body)
	}
	return own.File.encode(text)
}

// rewrite returns the bytes before a body in the form of a file, with the meaning of
// the rule.
func (c *Client) rewrite(r Rule, act Activation, form OwnFile) string {
	gap := "\n"
	if form.Tight {
		gap = ""
	}
	parts, err := splitHead(form.Head)
	if err != nil || parts.open == "" {
		return form.Head + gap
	}
	front := addKeys(c.Folder.front(r, act, parts.front, Describe(r.Body)), r.Own[c.form()].Keys)
	if front != parts.front {
		front = endLine(front)
	}
	return parts.open + front + parts.end + gap
}

// Parse reads a file of the client's folder. What the format cannot express is taken
// from base, the rule that the file was made of, which may be nil. The file is
// rendered from the result with the same bytes.
func (c *Client) Parse(file string, data []byte, base *Rule) (Rule, error) {
	dir, rest, ok := c.held(file)
	if !ok {
		return Rule{}, errors.New(c.Title + " does not read rules there")
	}
	text, form := decode(data)
	parts, err := splitHead(text)
	if err != nil {
		parts = headParts{body: text} // to clients, front matter without an end is text
	}
	m := splitMapping(parts.front)
	rule, err := c.merge(&m, parts.body, rest, base)
	if err != nil {
		return Rule{}, err
	}
	if rest != rule.Name.Slug()+c.Folder.Ext {
		form.Path = rest
	}
	if dir != c.Folder.Dir {
		form.Dir = dir
	}
	c.keepForm(&rule, &m, form, parts, data, base == nil)
	return rule, nil
}

// merge returns the rule that a file describes, with the properties of base that the file does
// not have.
func (c *Client) merge(m *mapping, body, rest string, base *Rule) (Rule, error) {
	got := c.Folder.read(m)
	if base == nil {
		name, err := nameOf(rest, c.Folder.Ext)
		rule := Rule{Name: name, Activation: got.activation, Globs: got.globs, Description: got.description, Body: body}
		if rule.Description == "" {
			rule.Description = m.scalar("description")
		}
		if rule.Description == "" {
			rule.Description = Describe(body)
		}
		return rule, err
	}
	if inner, nested := c.within(*base); nested {
		base = &inner
	}
	rule := *base
	act, _ := c.activate(*base)
	switch {
	case !c.Folder.activates(got, *base, act):
		rule.Activation = got.activation
		if len(got.globs) > 0 {
			rule.Globs = got.globs
		}
	case act == Glob:
		rule.Globs = got.globs
	}
	if c.describes(got.activation) && !c.Folder.means(m, *base, got.activation, Describe(body)) && got.description != oneLine(base.Description) {
		rule.Description = got.description
	}
	if !sameEnd(body, base.Body) {
		rule.Body = body
	}
	return rule, nil
}

// describes reports whether files of an activation have a description.
func (c *Client) describes(act Activation) bool {
	return slices.ContainsFunc(c.Folder.Fields, func(f Field) bool { return f.Kind == Description && f.writtenFor(act) })
}

// keepForm adds to the rule the data that is needed to write the file with the same bytes.
// Front matter of others that is not YAML is kept as it is, for those who check it.
func (c *Client) keepForm(r *Rule, m *mapping, form OwnFile, parts headParts, data []byte, isNew bool) {
	own := map[string]Own{}
	for name, o := range r.Own {
		own[name] = o
	}
	head := parts.open + parts.front + parts.end
	candidates := []Own{{File: OwnFile{
		Path: form.Path, Dir: form.Dir, CRLF: form.CRLF, BOM: form.BOM,
		Head: head, Tight: parts.tight && parts.open != "", Bare: parts.open == "",
	}}}
	if !isNew || IsStrict(head) {
		candidates = slices.Insert(candidates, 0, Own{Keys: c.Folder.without(m), File: form})
	}
	for _, candidate := range candidates {
		own[c.form()] = candidate
		if candidate == (Own{}) {
			delete(own, c.form())
		}
		r.Own = own
		if act, outcome := c.activate(*r); outcome != Skipped && bytes.Equal(c.file(*r, act), data) {
			break
		}
	}
	if len(r.Own) == 0 {
		r.Own = nil
	}
}

// nameOf makes a name of a path below a folder of rules.
func nameOf(rest, ext string) (ruleset.Name, error) {
	return ruleset.ParseName(Snake(strings.TrimSuffix(rest, ext)))
}

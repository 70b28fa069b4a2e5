package rulefiles

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/editors"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Draft makes a ruleset of a file with or without front matter. A name that is not
// given is made of the file's name, a description of the first heading or sentence.
// notes say what of the file was left out.
//
// A file in a folder of a client's rules, or a skill, is read as the client reads it:
// its keys become the canonical ones, and what only the client knows is kept for it.
func Draft(path, text string) (d ruleset.Draft, notes []string, err error) {
	if file, ok := ofClient(path); ok {
		return clientDraft(file, text)
	}
	body := strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	var f Front
	if strings.HasPrefix(body, fence) {
		head, rest, err := Split(body)
		if err != nil {
			return d, nil, err
		}
		if f, err = Parse(head); err != nil {
			return d, nil, err
		}
		body = rest
	}
	d = ruleset.Draft{Tags: f.Tags, Markdown: body, Extra: f.Extra, CreatedAt: f.CreatedAt, LastModified: f.Modified}
	if f.Description != nil {
		d.Description = *f.Description
	} else {
		d.Description = editors.Describe(body)
	}
	d.Name, err = nameFor(path, f.Name)
	return d, f.Notes, err
}

// ofClient returns the end of a path that is a rule file of a client, or a skill.
func ofClient(path string) (file string, ok bool) {
	parts := strings.Split(filepath.ToSlash(path), "/")
	for i := range parts {
		file = strings.Join(parts[i:], "/")
		if editors.Of(file) != nil || editors.IsSkill(file) {
			return file, true
		}
	}
	return "", false
}

func clientDraft(file, text string) (d ruleset.Draft, notes []string, err error) {
	rule, err := editors.Import(file, []byte(text))
	if err != nil {
		return d, nil, err
	}
	r, err := rule.Update(ruleset.Ruleset{})
	if err != nil {
		return d, nil, err
	}
	d = ruleset.Draft{Name: r.Name, Description: r.Description, Markdown: r.Markdown, Extra: r.Extra}
	head, _, err := Split(strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n"))
	if err != nil {
		return d, nil, nil // it has no front matter
	}
	if f, err := Parse(head); err == nil {
		d.Tags, d.CreatedAt, d.LastModified, notes = f.Tags, f.CreatedAt, f.Modified, f.Notes
	}
	return d, notes, nil
}

// nameFor returns the name that the file gives, in snake_case, or one made of the
// file's name.
func nameFor(path, given string) (ruleset.Name, error) {
	if name, err := ruleset.ParseName(editors.Snake(given)); err == nil {
		return name, nil
	}
	base := strings.TrimLeft(filepath.Base(path), ".")
	base = strings.TrimSuffix(base, filepath.Ext(base))
	if isSkill := strings.EqualFold(base, "SKILL"); isSkill {
		base = filepath.Base(filepath.Dir(path)) // a skill is its folder
	}
	return ruleset.ParseName(editors.Snake(base))
}

// Qualified returns the name with words of the path's folders before it, the nearest
// folder alone first, for files of one name in several folders.
func Qualified(path string, name ruleset.Name) (names []ruleset.Name) {
	folders := strings.Split(filepath.ToSlash(filepath.Dir(path)), "/")
	longer := string(name)
	for _, folder := range slices.Backward(folders) {
		if word := editors.Snake(folder); word != "" {
			longer = word + "_" + longer
			if n, err := ruleset.ParseName(longer); err == nil {
				names = append(names, n)
			}
		}
	}
	return names
}

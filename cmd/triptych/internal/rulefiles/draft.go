package rulefiles

import (
	"errors"
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
// A file in a place that clients know is read as they read it: a command becomes a
// prompt, a rule or instructions below the root of the project become a ruleset for
// their folder, and what only one client knows is kept for it.
func Draft(f File, text string) (d ruleset.Draft, notes []string, err error) {
	place := f.place()
	if isExported(text) {
		place = editors.Place{Base: "."}
	} else if rule, err := editors.Import(place, []byte(text)); err == nil {
		return draftOf(rule, text)
	} else if place.Owned() || place.Use == editors.SharedFile && !errors.Is(err, editors.ErrFrontMatter) {
		return d, nil, err
	}
	d, front, err := Text(text)
	if err != nil {
		return d, nil, err
	}
	d.CreatedAt, d.LastModified = front.CreatedAt, front.Modified
	if d.Name, err = nameFor(f.Path, front.Name); err != nil {
		return d, front.Notes, err
	}
	d.Extra, err = inPlace(place, d)
	return d, front.Notes, err
}

// Text makes a ruleset without a name of Markdown with or without front matter. The
// description that is not given is made of the first heading or sentence.
func Text(text string) (d ruleset.Draft, front Front, err error) {
	body := strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	head, rest, has, err := editors.SplitFront(body)
	if err != nil {
		return d, front, err
	}
	if has {
		if front, err = Parse(head); err != nil {
			return d, front, err
		}
		body = rest
	}
	d = ruleset.Draft{Tags: front.Tags, Markdown: body, Extra: front.Extra}
	if front.Description != nil {
		d.Description = *front.Description
	} else {
		d.Description = editors.Describe(body)
	}
	return d, front, nil
}

// Rename gives a draft another name than that of its file, to which it goes back all the
// same.
func Rename(d ruleset.Draft, f File, name ruleset.Name) (ruleset.Draft, error) {
	r := ruleset.Ruleset{Meta: ruleset.Meta{Name: name, Description: d.Description}, Markdown: d.Markdown, Extra: d.Extra}
	kept, err := editors.KeepPlace(r, f.place())
	d.Name, d.Extra = name, kept.Extra
	return d, err
}

// isExported reports whether a file has the front matter that export writes.
func isExported(text string) bool {
	head, _, has, err := editors.SplitFront(strings.ReplaceAll(text, "\r\n", "\n"))
	return err == nil && has && strings.Contains(head, "\ncreated_at: ") && strings.Contains(head, "\nlast_modified: ") && strings.Contains("\n"+head, "\ntags: ")
}

// inPlace returns the front matter of a file of a client that triptych does not write
// for: that of a prompt, or of a rule for a folder.
func inPlace(p editors.Place, d ruleset.Draft) (extra string, err error) {
	r := ruleset.Ruleset{Meta: ruleset.Meta{Name: d.Name, Description: d.Description}, Markdown: d.Markdown, Extra: d.Extra}
	rule, _ := editors.FromRuleset(r)
	switch p.Use {
	case editors.Command:
		rule.Prompt = true
	case editors.RuleFile, editors.SharedFile:
		rule.Activation, rule.Globs = editors.In(p.Base, rule.Activation, rule.Globs)
	default:
		return d.Extra, nil
	}
	fresh, err := rule.Update(r)
	return fresh.Extra, err
}

// draftOf returns a rule as a draft, with the keys that rules do not have.
func draftOf(rule editors.Rule, text string) (d ruleset.Draft, notes []string, err error) {
	r, err := rule.Update(ruleset.Ruleset{})
	if err != nil {
		return d, nil, err
	}
	d = ruleset.Draft{Name: r.Name, Description: r.Description, Markdown: r.Markdown, Extra: r.Extra}
	head, _, has, err := editors.SplitFront(strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n"))
	if err != nil || !has {
		return d, nil, nil //nolint:nilerr // it has no front matter
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

package rulefiles

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Draft makes a ruleset of a file with or without front matter. A name that is not
// given is made of the file's name, a description of the first heading or sentence.
// notes say what of the file was left out.
func Draft(path, text string) (d ruleset.Draft, notes []string, err error) {
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
		d.Description = describe(body)
	}
	d.Name, err = nameFor(path, f.Name)
	return d, f.Notes, err
}

// nameFor returns the name that the file gives, in snake_case, or one made of the
// file's name.
func nameFor(path, given string) (ruleset.Name, error) {
	if name, err := ruleset.ParseName(snake(given)); err == nil {
		return name, nil
	}
	base := strings.TrimLeft(filepath.Base(path), ".")
	base = strings.TrimSuffix(base, filepath.Ext(base))
	if isSkill := strings.EqualFold(base, "SKILL"); isSkill {
		base = filepath.Base(filepath.Dir(path)) // a skill is its folder
	}
	return ruleset.ParseName(snake(base))
}

// Qualified returns the name with words of the path's folders before it, the nearest
// folder alone first, for files of one name in several folders.
func Qualified(path string, name ruleset.Name) (names []ruleset.Name) {
	folders := strings.Split(filepath.ToSlash(filepath.Dir(path)), "/")
	longer := string(name)
	for _, folder := range slices.Backward(folders) {
		if word := snake(folder); word != "" {
			longer = word + "_" + longer
			if n, err := ruleset.ParseName(longer); err == nil {
				names = append(names, n)
			}
		}
	}
	return names
}

// snake makes a text lower case with underscores between its words.
func snake(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return strings.Join(words, "_")
}

// maxDescription is the longest description that is made of a text, in bytes.
const maxDescription = 160

// describe returns the first heading or sentence of a Markdown text, whichever comes
// first.
func describe(body string) string {
	inCode := false
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		text := strings.TrimLeft(line, "#")
		switch {
		case strings.HasPrefix(line, "```"), strings.HasPrefix(line, "~~~"):
			inCode = !inCode
		case inCode, strings.Trim(line, "-=*_ ") == "", strings.HasPrefix(line, "<"):
		case text != line && strings.HasPrefix(text, " "):
			return clip(strings.Trim(text, "# "))
		default:
			return clip(sentence(strings.TrimLeft(line, "->*+ ")))
		}
	}
	return ""
}

// sentence returns a line up to the end of its first sentence.
func sentence(line string) string {
	if end := strings.Index(line, ". "); end >= 0 {
		return line[:end+1]
	}
	return line
}

// clip takes the marks of emphasis and code out and cuts a long text between words.
func clip(text string) string {
	text = strings.NewReplacer("**", "", "`", "").Replace(text)
	if len(text) <= maxDescription {
		return text
	}
	cut := strings.ToValidUTF8(text[:maxDescription], "")
	if space := strings.LastIndexByte(cut, ' '); space > 0 {
		cut = cut[:space]
	}
	return cut + "…"
}

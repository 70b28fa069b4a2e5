package frontmatter

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// Lenient returns front matter as YAML. Values that YAML refuses, such as globs that
// begin with a star and texts with a colon, are put between quotes, as the clients that
// write them read them. Text that is YAML is returned as it is. strict reports whether
// it was.
//
// A value is repaired by itself: one key that YAML refuses does not lose the others.
func Lenient(text string) (repaired string, strict bool) {
	if yaml.Unmarshal([]byte(text), new(yaml.Node)) == nil {
		return text, true
	}
	var b, value strings.Builder
	flush := func() {
		b.WriteString(repair(value.String()))
		value.Reset()
	}
	for line := range strings.Lines(text) {
		if line[0] != ' ' && line[0] != '\t' && line[0] != '-' && line[0] != '\r' && line[0] != '\n' && line[0] != '#' && line[0] != '}' && line[0] != ']' {
			flush()
		}
		value.WriteString(line)
	}
	flush()
	return b.String(), false
}

// repair returns the lines of one key as YAML.
func repair(lines string) string {
	key, value, found := strings.Cut(lines, ":")
	if !found || yaml.Unmarshal([]byte(lines), new(yaml.Node)) == nil {
		return lines
	}
	words, isList := blockList(value)
	switch {
	case !isList && strings.HasPrefix(strings.TrimLeft(value, " \t\r\n"), "- "):
		return lines // what is meant by a list with other lines in it is not known
	case !isList:
		words, isList = flowList(value)
	}
	var b strings.Builder
	b.WriteString(key + ":")
	if !isList {
		b.WriteString(" " + singleQuoted(asText(value)) + "\n")
		return b.String()
	}
	b.WriteByte('\n')
	for _, word := range words {
		b.WriteString("  - " + word + "\n")
	}
	return b.String()
}

// asText returns the text that is meant by a value: of globs without the comment, which in
// other texts may be words.
func asText(value string) string {
	text := strings.Join(strings.Fields(value), " ")
	if text != "" && strings.IndexByte("*!&", text[0]) >= 0 {
		text, _, _ = strings.Cut(text, " #")
	}
	return text
}

// blockList returns the items of a list with a line for each, as YAML. ok is false for
// any other value.
func blockList(value string) (items []string, ok bool) {
	first, dash := true, 0
	for line := range strings.Lines(value) {
		text := strings.TrimSpace(line)
		if first {
			if first = false; text != "" && text[0] != '#' {
				return nil, false
			}
			continue
		}
		item, isItem := strings.CutPrefix(text, "- ")
		column := len(line) - len(strings.TrimLeft(line, " \t"))
		switch {
		case text == "" || text[0] == '#' || text == "-":
		case isItem:
			items, dash = append(items, item), column
		case len(items) == 0 || column <= dash:
			return nil, false
		default: // the item goes on
			items[len(items)-1] += " " + text
		}
	}
	for i, item := range items {
		items[i] = asItem(item)
	}
	return items, len(items) > 0
}

// flowList returns the items of a list between brackets, as YAML.
func flowList(value string) (items []string, ok bool) {
	inner, opened := strings.CutPrefix(strings.TrimSpace(value), "[")
	inner, closed := strings.CutSuffix(inner, "]")
	if !opened || !closed {
		return nil, false
	}
	for _, item := range splitCommas(strings.Join(strings.Fields(inner), " ")) {
		items = append(items, singleQuoted(item))
	}
	return items, len(items) > 0
}

// asItem returns an item of a list as YAML: as it is, or without its comment and between
// quotes.
func asItem(item string) string {
	isTag := item[0] == '!' || item[0] == '&'
	if !isTag && yaml.Unmarshal([]byte("- "+item+"\n"), new(yaml.Node)) == nil {
		return item
	}
	bare, _, _ := strings.Cut(item, " #")
	return singleQuoted(strings.TrimSpace(bare))
}

func singleQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

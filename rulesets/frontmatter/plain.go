package frontmatter

import (
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// TimeLayout is the layout of times in front matter: UTC, whole seconds.
const TimeLayout = "2006-01-02 15:04:05"

// Plain parses front matter whose lines all have one of the forms
//
//	key: Words of a text
//	key: 'quoted text'
//	key: 2025-10-29 10:30:00
//	key: [word, "quoted text"]
//	key: true
//	key: 10
//
// into the node that package yaml makes of it. Most front matter has no other lines, and
// the general parser takes four times as long and as much memory, which counts where
// all rulesets of a store are read. ok is false for any other text.
func Plain(text string) (root *yaml.Node, ok bool) {
	root = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: 1, Column: 1}
	text = strings.Clone(text) // values that are kept must not keep a whole file
	line := 0
	for one := range strings.Lines(text) {
		line++
		key, value, found := strings.Cut(strings.TrimSuffix(one, "\n"), ": ")
		if !found || !isPlain(key, isKeyByte) {
			return nil, false
		}
		node := plainValue(value, line, len(key)+3)
		if node == nil {
			return nil, false
		}
		root.Content = append(root.Content, scalar(key, "!!str", line, 1), node)
	}
	return root, line > 0
}

// plainValue returns the node of a value, nil if it has none of the forms.
func plainValue(value string, line, column int) *yaml.Node {
	if inner, isList := strings.CutPrefix(value, "["); isList {
		return plainList(inner, line, column)
	}
	if isPlain(value, isTextByte) && !strings.HasSuffix(value, " ") {
		return scalar(value, "!!str", line, column)
	}
	if tag := plainTag(value); tag != "" {
		return scalar(value, tag, line, column)
	}
	return quoted(value, line, column)
}

// plainTag returns the tag of a value that is no text, "" for any other.
func plainTag(value string) string {
	if value == "true" || value == "false" {
		return "!!bool"
	}
	if isNumber(value) {
		return "!!int"
	}
	if len(value) != len(TimeLayout) {
		return ""
	}
	if t, err := time.Parse(TimeLayout, value); err == nil && t.Format(TimeLayout) == value {
		return "!!timestamp"
	}
	return ""
}

// isNumber reports whether a text is a number of few digits in the usual form.
func isNumber(text string) bool {
	if text == "" || len(text) > 9 || text[0] == '0' && text != "0" {
		return false
	}
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}

// plainList returns the node of a list whose text after the bracket is given.
func plainList(text string, line, column int) *yaml.Node {
	text, closed := strings.CutSuffix(text, "]")
	if !closed {
		return nil
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle, Tag: "!!seq", Line: line, Column: column}
	if text == "" {
		return list
	}
	column++
	for word := range strings.SplitSeq(text, ", ") {
		item := quoted(word, line, column)
		if item == nil {
			if !isPlain(word, isWordByte) {
				return nil
			}
			item = scalar(word, "!!str", line, column)
		}
		list.Content = append(list.Content, item)
		column += len(word) + len(", ")
	}
	return list
}

// quoted returns the node of a text in quotes that needs no escapes, nil for any other.
func quoted(text string, line, column int) *yaml.Node {
	if len(text) < 3 || text[0] != text[len(text)-1] {
		return nil
	}
	inner := text[1 : len(text)-1]
	for i := range len(inner) {
		if c := inner[i]; c <= ' ' || c > '~' || c == '"' || c == '\'' || c == '\\' {
			return nil
		}
	}
	node := scalar(inner, "!!str", line, column)
	switch text[0] {
	case '"':
		node.Style = yaml.DoubleQuotedStyle
	case '\'':
		node.Style = yaml.SingleQuotedStyle
	default:
		return nil
	}
	return node
}

func scalar(value, tag string, line, column int) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value, Line: line, Column: column}
}

// isPlain reports whether a text begins with a letter, has no other bytes than those, and
// is none of the words that YAML takes for something else.
func isPlain(text string, is func(byte) bool) bool {
	if text == "" || !isLetter(text[0]) {
		return false
	}
	for i := range len(text) {
		if !is(text[i]) {
			return false
		}
	}
	switch strings.ToLower(text) {
	case "null", "true", "false":
		return false
	}
	return true
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func isKeyByte(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' || c == '_' }

func isWordByte(c byte) bool {
	return isKeyByte(c) || c == '-' || c == '.' || c == '/' || c == '+' || c == '*'
}

func isTextByte(c byte) bool {
	return isWordByte(c) || c == ' ' || c == ',' || c == '(' || c == ')' || c == ';' || c == '\''
}

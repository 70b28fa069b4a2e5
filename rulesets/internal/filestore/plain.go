package filestore

import (
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// plainMapping parses front matter whose lines all have one of the forms
//
//	key: Words of a text
//	key: 2025-10-29 10:30:00
//	key: [word, word]
//
// into the node that package yaml makes of it. Most files have no other lines, and the
// general parser takes several times as long and ten times the memory, which counts where
// all files of a folder are read. ok is false for any other text.
func plainMapping(text string) (root *yaml.Node, ok bool) {
	root = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: 1, Column: 1}
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

// plainValue returns the node of a value, nil if it is not of one of the forms.
func plainValue(value string, line, column int) *yaml.Node {
	inner, isList := strings.CutPrefix(value, "[")
	switch {
	case isList:
		return plainList(inner, line, column)
	case isPlain(value, isTextByte) && !strings.HasSuffix(value, " "):
		return scalar(value, "!!str", line, column)
	case len(value) == len(timeLayout):
		if t, err := time.Parse(timeLayout, value); err == nil && t.Format(timeLayout) == value {
			return scalar(value, "!!timestamp", line, column)
		}
	}
	return nil
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
		if !isPlain(word, isWordByte) {
			return nil
		}
		list.Content = append(list.Content, scalar(word, "!!str", line, column))
		column += len(word) + len(", ")
	}
	return list
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

func isWordByte(c byte) bool { return isKeyByte(c) || c == '-' || c == '.' || c == '/' || c == '+' }

func isTextByte(c byte) bool {
	return isWordByte(c) || c == ' ' || c == ',' || c == '(' || c == ')' || c == ';' || c == '\''
}

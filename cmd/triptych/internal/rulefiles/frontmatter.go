package rulefiles

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/triptych-mcp/triptych/rulesets/editors"
	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
)

// A Front is the front matter of a file. Name and times are zero where the file
// does not give them.
type Front struct {
	Name        string
	Description *string // nil where the file gives none
	Tags        []string
	CreatedAt   time.Time
	Modified    time.Time
	Extra       string   // the keys that are not ours, as YAML
	Notes       []string // what was left out, and why
}

const fence = "---\n"

// timeLayout is the form of times in front matter: UTC, whole seconds.
const timeLayout = "2006-01-02 15:04:05"

// Split returns the front matter of a text and the Markdown behind it. The text has
// lines that end with \n alone.
func Split(text string) (head, body string, err error) {
	head, body, has, err := editors.SplitFront(text)
	if err == nil && !has {
		err = editors.ErrFence
	}
	return head, body, err
}

// Parse reads front matter as its author meant it: where it is not YAML, values
// that are not are taken as plain text.
func Parse(head string) (Front, error) {
	var root yaml.Node
	text, _ := frontmatter.Lenient(head)
	if err := yaml.Unmarshal([]byte(text), &root); err != nil {
		return Front{}, fmt.Errorf("the front matter: %w", err)
	}
	if root.Kind == 0 {
		return Front{}, nil
	}
	mapping := root.Content[0]
	if mapping.Kind != yaml.MappingNode {
		return Front{}, errors.New("the front matter is not a YAML mapping")
	}
	var f Front
	rest := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if key, value := mapping.Content[i], mapping.Content[i+1]; !f.take(key.Value, value) {
			rest.Content = append(rest.Content, key, value)
		}
	}
	extra, err := encode(rest)
	f.Extra = extra
	return f, err
}

// take reads a key of ours, and reports whether it is one.
func (f *Front) take(key string, value *yaml.Node) bool {
	isNull := value.Tag == "!!null"
	switch key {
	case "name":
		f.Name = value.Value
	case "description":
		switch {
		case value.Kind != yaml.ScalarNode:
			f.note("the description is not a text")
		case !isNull:
			f.Description = &value.Value
		}
	case "tags":
		f.takeTags(value)
	case "created_at":
		f.CreatedAt = f.time(key, value)
	case "last_modified":
		f.Modified = f.time(key, value)
	default:
		return false
	}
	return true
}

func (f *Front) note(format string, args ...any) {
	f.Notes = append(f.Notes, fmt.Sprintf(format, args...))
}

// takeTags reads a list of tags, or a text of tags between commas.
func (f *Front) takeTags(value *yaml.Node) {
	switch {
	case value.Tag == "!!null":
	case value.Kind == yaml.ScalarNode:
		for tag := range strings.SplitSeq(value.Value, ",") {
			if tag = strings.TrimSpace(tag); tag != "" {
				f.Tags = append(f.Tags, tag)
			}
		}
	case value.Decode(&f.Tags) != nil:
		f.Tags = nil
		f.note("the tags are not a list of texts")
	}
}

func (f *Front) time(key string, value *yaml.Node) time.Time {
	for _, layout := range []string{timeLayout, time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, value.Value); err == nil {
			return t.UTC()
		}
	}
	f.note("%s is not a time such as 2025-10-29 10:30:00", key)
	return time.Time{}
}

// encode returns a mapping as lines of YAML, "" if it is empty.
func encode(mapping *yaml.Node) (string, error) {
	if len(mapping.Content) == 0 {
		return "", nil
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := errors.Join(enc.Encode(mapping), enc.Close()); err != nil {
		return "", fmt.Errorf("the front matter: %w", err)
	}
	return b.String(), nil
}

// SameExtra reports whether two texts of extra keys have the same keys and values.
func SameExtra(a, b string) bool {
	if a == b {
		return true
	}
	var x, y any
	return yaml.Unmarshal([]byte(a), &x) == nil && yaml.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

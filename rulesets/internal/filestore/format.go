package filestore

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

const fence = "---"

// A document is a parsed file: its ruleset, and the front matter with all its keys
// and comments.
type document struct {
	ruleset  ruleset.Ruleset
	front    *yaml.Node
	modified time.Time // modification time of the file; UTC, whole seconds
	crlf     bool      // whether lines end with \r\n, as some editors have it
	sum      string    // SHA-256 of the file as it was read, "" if it is new
	asRead   string    // front matter of a folder's file as written by the author
}

// parse parses a file. modified is used for times that the file does not give.
// The name in a folder's file has the form of skills and is not checked here.
func parse(name ruleset.Name, folder bool, data []byte, modified time.Time) (document, error) {
	if !utf8.Valid(data) {
		return document{}, errors.New("it is not UTF-8")
	}
	whole := string(data)
	first, _, _ := strings.Cut(whole, "\n")
	crlf := strings.HasSuffix(first, "\r")
	if crlf {
		whole = strings.ReplaceAll(whole, "\r\n", "\n")
	}
	front, body, err := split(whole)
	if err != nil {
		return document{}, err
	}
	keys, err := parseMapping(front)
	if err != nil {
		return document{}, fmt.Errorf("its front matter: %w", err)
	}
	d := document{ruleset: ruleset.Ruleset{Markdown: body, Folder: folder}, front: keys, modified: modified.UTC().Truncate(time.Second), crlf: crlf}
	if d.front == nil {
		return document{}, errors.New("its front matter is no mapping")
	}
	if d.ruleset.Name = name; folder {
		d.asRead = front
	}
	return d, d.readFront(d.modified)
}

// split splits a file at its delimiters. One empty line after the second
// delimiter is not part of the text.
func split(text string) (front, body string, err error) {
	text = strings.TrimPrefix(text, "\ufeff")
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, "\r \t") != fence {
		return "", "", errors.New("it has no front matter")
	}
	for at := 0; at <= len(rest); {
		line, _, more := strings.Cut(rest[at:], "\n")
		next := at + len(line) + 1
		if strings.TrimRight(line, "\r \t") == fence {
			body = ""
			if more {
				body = rest[next:]
			}
			body = strings.TrimPrefix(strings.TrimPrefix(body, "\r"), "\n")
			return rest[:at], body, nil
		}
		at = next
	}
	return "", "", errors.New("its front matter does not end")
}

// parseMapping parses front matter. The node is nil if it is not a mapping.
func parseMapping(front string) (*yaml.Node, error) {
	if keys, ok := frontmatter.Plain(front); ok {
		return keys, nil
	}
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(front), &root); err != nil {
		return nil, err
	}
	return mapping(&root), nil
}

// mapping returns the mapping of the front matter, creating it if it is empty.
func mapping(root *yaml.Node) *yaml.Node {
	if root.Kind == 0 {
		return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	}
	if len(root.Content) == 1 && root.Content[0].Kind == yaml.MappingNode {
		return root.Content[0]
	}
	return nil
}

// value returns the value of a key, or nil.
func (d *document) value(key string) *yaml.Node {
	for i := 0; i+1 < len(d.front.Content); i += 2 {
		if d.front.Content[i].Value == key {
			return d.front.Content[i+1]
		}
	}
	return nil
}

func (d *document) readFront(modified time.Time) error {
	r := &d.ruleset
	if v := d.value("name"); v != nil && v.Value != string(r.Name) && !r.Folder {
		return fmt.Errorf("it says its name is %q", v.Value)
	}
	if v := d.value("description"); v != nil {
		if v.Kind != yaml.ScalarNode {
			return errors.New("its description is no text")
		}
		r.Description = v.Value
	}
	r.Tags = []string{}
	if v := d.value("tags"); v != nil && v.Tag != "!!null" {
		if err := v.Decode(&r.Tags); err != nil {
			return errors.New("its tags are no list of texts")
		}
	}
	var err error
	if r.CreatedAt, err = d.time("created_at", modified); err != nil {
		return err
	}
	r.LastModified, err = d.time("last_modified", modified)
	if r.LastModified.Before(r.CreatedAt) {
		r.LastModified = r.CreatedAt
	}
	return err
}

func (d *document) time(key string, otherwise time.Time) (time.Time, error) {
	v := d.value(key)
	if v == nil {
		return otherwise, nil
	}
	for _, layout := range []string{frontmatter.TimeLayout, time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, v.Value); err == nil && writable(t.UTC()) {
			return t.UTC().Truncate(time.Second), nil
		}
	}
	return time.Time{}, fmt.Errorf("its %s is no time such as 2025-10-29 10:30:00", key)
}

// writable reports whether a time has a year of four digits in UTC, as files
// require.
func writable(t time.Time) bool { return t.Year() >= 0 && t.Year() <= 9999 }

// set sets the value of a key, in its place if the key exists.
func (d *document) set(key string, value *yaml.Node) {
	if old := d.value(key); old != nil {
		value.LineComment, value.HeadComment, value.FootComment = old.LineComment, old.HeadComment, old.FootComment
		value.Anchor = old.Anchor // other keys may refer to it
		*old = *value
		return
	}
	d.front.Content = append(d.front.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, value)
}

// ours reports whether a front matter key corresponds to a field of a ruleset.
func ours(key string) bool {
	switch key {
	case "name", "description", "tags", "created_at", "last_modified":
		return true
	}
	return false
}

// extra returns the other keys as YAML. It omits keys that cannot be read by
// themselves because they refer to a value of ours by an alias; those stay in the
// file.
func (d *document) extra() string {
	rest := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for i := 0; i+1 < len(d.front.Content); i += 2 {
		if key := d.front.Content[i]; !ours(key.Value) {
			rest.Content = append(rest.Content, key, d.front.Content[i+1])
		}
	}
	if len(rest.Content) == 0 {
		return ""
	}
	text, err := encodeYAML(rest)
	if err != nil {
		return ""
	}
	if _, err := parseMapping(string(text)); err != nil {
		return ""
	}
	return string(text)
}

// setExtra replaces the other keys.
func (d *document) setExtra(extra string) error {
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(extra), &root); err != nil {
		return fmt.Errorf("the extra front matter: %w", err)
	}
	added := mapping(&root)
	if added == nil {
		return errors.New("the extra front matter is not a YAML mapping")
	}
	var pairs []*yaml.Node
	for i := 0; i+1 < len(d.front.Content); i += 2 {
		if ours(d.front.Content[i].Value) {
			pairs = append(pairs, d.front.Content[i:i+2]...)
		}
	}
	for i := 0; i+1 < len(added.Content); i += 2 {
		if !ours(added.Content[i].Value) {
			pairs = append(pairs, added.Content[i:i+2]...)
		}
	}
	d.front.Content = pairs
	return nil
}

func encodeYAML(n *yaml.Node) ([]byte, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	err := errors.Join(enc.Encode(n), enc.Close())
	return b.Bytes(), err
}

// render returns the file of the ruleset. It returns an error if the front matter
// could not be read again, for example because of a reference to an anchor in the
// old tags.
func (d *document) render() ([]byte, error) {
	data, err := d.encode()
	if err != nil {
		return nil, err
	}
	if _, err := parse(d.ruleset.Name, d.ruleset.Folder, data, d.ruleset.LastModified); err != nil {
		return nil, fmt.Errorf("the file %s%s cannot be written anew and is left alone: %w", d.ruleset.Name, suffix, err)
	}
	return data, nil
}

func (d *document) encode() ([]byte, error) {
	r := &d.ruleset
	if r.Folder {
		d.setFolderFront()
	} else {
		d.set("name", text(string(r.Name)))
		d.set("description", text(r.Description))
		d.set("tags", tagsNode(r.Tags))
		d.set("created_at", moment(r.CreatedAt))
		d.set("last_modified", moment(r.LastModified))
	}
	var b bytes.Buffer
	b.WriteString(fence + "\n")
	if err := d.encodeFront(&b); err != nil {
		return nil, err
	}
	b.WriteString(fence + "\n\n" + r.Markdown)
	if d.crlf {
		return bytes.ReplaceAll(b.Bytes(), []byte("\n"), []byte("\r\n")), nil
	}
	return b.Bytes(), nil
}

// encodeFront writes the front matter. That of a folder's file is written as it
// was read, unless a key has changed.
func (d *document) encodeFront(b *bytes.Buffer) error {
	enc := yaml.NewEncoder(b)
	if d.ruleset.Folder {
		if d.isAsRead() {
			b.WriteString(d.asRead)
			return nil
		}
		enc.SetIndent(2) // as usual in skills
	}
	return errors.Join(enc.Encode(d.front), enc.Close())
}

// isAsRead reports whether the front matter has not changed since it was read.
func (d *document) isAsRead() bool {
	front, err := parseMapping(d.asRead)
	if d.asRead == "" || err != nil || front == nil {
		return false
	}
	before := document{ruleset: ruleset.Ruleset{Meta: ruleset.Meta{Name: d.ruleset.Name}, Folder: true}, front: front}
	if before.readFront(d.modified) != nil {
		return false
	}
	before.ruleset.Extra, before.ruleset.Markdown = before.extra(), d.ruleset.Markdown
	now := d.ruleset
	now.Extra = d.extra()
	return ruleset.SameContent(before.ruleset, now)
}

// setFolderFront sets the keys of a SKILL.md that a change may modify: skills
// have no times, and tags only if the author wrote them.
func (d *document) setFolderFront() {
	d.set("description", text(d.ruleset.Description))
	if d.value("tags") != nil || len(d.ruleset.Tags) > 0 {
		d.set("tags", tagsNode(d.ruleset.Tags))
	}
}

// nameFolder sets the name of a new document in the form of a folder.
func (d *document) nameFolder() {
	if d.ruleset.Folder {
		d.set("name", text(d.ruleset.Name.Slug()))
		d.set("description", text(d.ruleset.Description))
	}
}

func tagsNode(tags []string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle}
	for _, tag := range tags {
		n.Content = append(n.Content, text(tag))
	}
	return n
}

// text returns a scalar that is quoted if YAML could read it as another type.
func text(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	if strings.ContainsAny(s, "\n\r\t\u2028\u2029\u0085") || strings.TrimSpace(s) != s {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

func moment(t time.Time) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!timestamp", Value: t.UTC().Format(frontmatter.TimeLayout)}
}

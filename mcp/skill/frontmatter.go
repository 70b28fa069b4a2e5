package skill

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// The bounds of front matter. Lists of skills carry all of it.
const (
	maxFront = 32 << 10 // bytes as JSON
	maxDepth = 16       // of mappings and lists in one another
)

// The limits of the Agent Skills specification.
const (
	maxName        = 64   // bytes
	maxDescription = 1024 // characters
)

// A Front is the front matter of a SKILL.md.
type Front struct {
	Name        string
	Description string
	// JSON is the whole front matter as a JSON object, keys in their order.
	JSON json.RawMessage
}

// ParseFront reads the front matter of a SKILL.md. It returns an error for front
// matter that breaks a rule of the Agent Skills specification.
func ParseFront(file []byte) (Front, error) {
	f, err := readFront(file)
	if err != nil {
		return f, err
	}
	return f, f.check()
}

// readFront reads front matter without looking at the values of its keys.
func readFront(file []byte) (Front, error) {
	text, err := cut(file)
	if err != nil {
		return Front{}, err
	}
	if len(text) > maxFront {
		return Front{}, fmt.Errorf("the front matter has %d bytes; at most %d are served", len(text), maxFront)
	}
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(text), &root); err != nil {
		return Front{}, fmt.Errorf("the front matter: %w", err)
	}
	if len(root.Content) != 1 || root.Content[0].Kind != yaml.MappingNode {
		return Front{}, errors.New("the front matter is not a mapping")
	}
	var w writer
	w.node(root.Content[0], 0)
	if w.err != nil {
		return Front{}, fmt.Errorf("the front matter: %w", w.err)
	}
	f := Front{JSON: w.dst}
	for i := 0; i+1 < len(root.Content[0].Content); i += 2 {
		key, value := root.Content[0].Content[i], root.Content[0].Content[i+1]
		switch {
		case key.Value == "name" && value.ShortTag() == "!!str":
			f.Name = value.Value
		case key.Value == "description" && value.ShortTag() == "!!str":
			f.Description = value.Value
		}
	}
	return f, nil
}

// check checks the two keys that every skill has.
func (f *Front) check() error {
	if err := CheckName(f.Name); err != nil {
		return err
	}
	return CheckDescription(f.Description)
}

var namePattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// CheckName reports why a text is not the name of a skill: lowercase letters and digits
// with single hyphens between them, 64 characters at most.
func CheckName(name string) error {
	if len(name) > maxName || !namePattern.MatchString(name) {
		return fmt.Errorf("the name %.80q is not one to %d lowercase letters, digits and single hyphens between them", name, maxName)
	}
	return nil
}

// CheckDescription reports why a text is not the description of a skill.
func CheckDescription(text string) error {
	switch n := utf8.RuneCountInString(text); {
	case strings.TrimSpace(text) == "":
		return errors.New("the description is missing")
	case n > maxDescription:
		return fmt.Errorf("the description has %d characters; a skill may have %d", n, maxDescription)
	}
	return nil
}

// cut returns what stands between the two fences at the beginning of a file.
func cut(file []byte) (string, error) {
	if !utf8.Valid(file) {
		return "", errors.New("SKILL.md is not UTF-8")
	}
	text := strings.TrimPrefix(string(file), "\ufeff")
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, "\r \t") != "---" {
		return "", errors.New("SKILL.md has no front matter")
	}
	at := 0
	for line := range strings.Lines(rest) {
		if strings.TrimRight(line, "\r\n \t") == "---" {
			return rest[:at], nil
		}
		at += len(line)
	}
	return "", errors.New("the front matter of SKILL.md does not end")
}

// A writer writes YAML as JSON with the same content, by the core schema of YAML 1.2:
// what is a number or a time only for YAML 1.1 is a text.
type writer struct {
	dst []byte
	err error
}

func (w *writer) node(n *yaml.Node, depth int) {
	switch {
	case w.err != nil:
	case depth > maxDepth:
		w.err = fmt.Errorf("line %d: nested more than %d deep", n.Line, maxDepth)
	case len(w.dst) > maxFront:
		w.err = fmt.Errorf("more than %d bytes as JSON", maxFront)
	case n.Kind == yaml.MappingNode:
		w.mapping(n, depth)
	case n.Kind == yaml.SequenceNode:
		w.dst = append(w.dst, '[')
		for i, item := range n.Content {
			w.comma(i)
			w.node(item, depth+1)
		}
		w.dst = append(w.dst, ']')
	case n.Kind == yaml.AliasNode:
		w.node(n.Alias, depth+1) // one that contains itself is too deep
	default:
		w.scalar(n)
	}
}

func (w *writer) comma(i int) {
	if i > 0 {
		w.dst = append(w.dst, ',')
	}
}

func (w *writer) mapping(n *yaml.Node, depth int) {
	seen := map[string]bool{}
	w.dst = append(w.dst, '{')
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode || seen[key.Value] {
			w.err = fmt.Errorf("line %d: a key is no text, or is there twice", key.Line)
			return
		}
		seen[key.Value] = true
		w.comma(i)
		w.dst = append(jsonrpc.AppendString(w.dst, key.Value), ':')
		w.node(n.Content[i+1], depth+1)
	}
	w.dst = append(w.dst, '}')
}

var (
	decimal = regexp.MustCompile(`^[-+]?[0-9]+$`)
	based   = regexp.MustCompile(`^0(o[0-7]+|x[0-9a-fA-F]+)$`)
	float   = regexp.MustCompile(`^([-+]?)(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
)

func (w *writer) scalar(n *yaml.Node) {
	if tag := n.ShortTag(); n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 || tag == "!!str" {
		w.dst = jsonrpc.AppendString(w.dst, n.Value)
		return
	}
	switch n.Value {
	case "", "~", "null", "Null", "NULL":
		w.dst = append(w.dst, "null"...)
		return
	case "true", "True", "TRUE":
		w.dst = append(w.dst, "true"...)
		return
	case "false", "False", "FALSE":
		w.dst = append(w.dst, "false"...)
		return
	}
	if number, ok := numeral(n.Value); ok {
		w.dst = append(w.dst, number...)
		return
	}
	w.dst = jsonrpc.AppendString(w.dst, n.Value)
}

// numeral returns a number of YAML as JSON writes it.
func numeral(text string) (string, bool) {
	switch {
	case len(text) > 40: // a text of digits, rather than a number
		return "", false
	case decimal.MatchString(text):
		n, ok := new(big.Int).SetString(strings.TrimPrefix(text, "+"), 10)
		return n.String(), ok
	case based.MatchString(text):
		n, ok := new(big.Int).SetString(text, 0)
		return n.String(), ok
	case float.MatchString(text):
		return jsonFloat(strings.TrimPrefix(text, "+")), true
	}
	return "", false
}

// jsonFloat adds the digits before and behind the point that JSON wants, and drops
// the zeros in front that it forbids.
func jsonFloat(text string) string {
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "-", text[1:]
	}
	exponent := strings.IndexAny(text, "eE")
	if exponent < 0 {
		exponent = len(text)
	}
	whole, fraction, _ := strings.Cut(text[:exponent], ".")
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	return sign + whole + fraction + text[exponent:]
}

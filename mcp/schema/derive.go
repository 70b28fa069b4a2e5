package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// A Schema describes a struct type and decodes JSON objects into it.
type Schema struct {
	root       *object
	json       []byte // without unlisted fields
	documented []byte // without extensions, too
	complete   []byte // with all fields
}

// An object is a struct as a plan: its fields in order.
type object struct {
	typ    reflect.Type
	fields []field
}

// A field is one member of an object.
type field struct {
	name      string
	index     []int
	required  bool
	extension bool // left out of Schema.Documented
	unlisted  bool // only in Schema.Complete
	pointer   bool
	shape     shape
	title     string
	doc       string
	header    string
	fallback  []byte // JSON of the default, nil when there is none
}

// A shape describes the values that a field accepts.
type shape struct {
	kind     kind
	typ      reflect.Type
	elem     *shape  // of an array or a map
	object   *object // of an object
	min, max *float64
	quiet    bool // min and max are not published
	enum     []string
}

type kind int

const (
	anyKind kind = iota
	stringKind
	boolKind
	intKind
	floatKind
	timeKind
	arrayKind
	mapKind
	objectKind
)

// maxNesting bounds how deep types may nest; it also ends recursive ones.
const maxNesting = 8

// For makes the schema of T, which must be a struct.
func For[T any]() (*Schema, error) { return Of(reflect.TypeFor[T]()) }

// Of makes the schema of a struct type.
func Of(t reflect.Type) (*Schema, error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%s is no struct", t)
	}
	root, err := objectOf(t, 0)
	if err != nil {
		return nil, err
	}
	return &Schema{
		root: root, complete: root.append(nil),
		json:       root.without(func(f field) bool { return f.unlisted }).append(nil),
		documented: root.without(func(f field) bool { return f.unlisted || f.extension }).append(nil),
	}, nil
}

// without returns the object without some of its fields.
func (o *object) without(left func(field) bool) *object {
	return &object{typ: o.typ, fields: slices.DeleteFunc(slices.Clone(o.fields), left)}
}

// JSON is the schema as JSON, members in the order of the fields, without those that have
// the tag listed:"false". It must not be changed.
func (s *Schema) JSON() []byte { return s.json }

// Documented is like [Schema.JSON], without the fields that have the tag
// extension:"true". [Schema.Decode] accepts those fields all the same.
func (s *Schema) Documented() []byte { return s.documented }

// Complete is like [Schema.JSON] with all fields that [Schema.Decode] accepts, for documents.
func (s *Schema) Complete() []byte { return s.complete }

func objectOf(t reflect.Type, depth int) (*object, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("%s nests too deep", t)
	}
	o := &object{typ: t}
	for _, sf := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(sf.Tag.Get("json"), ",")
		if sf.Anonymous || !sf.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = sf.Name
		}
		f, err := fieldOf(sf, name, options, depth)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t, sf.Name, err)
		}
		o.fields = append(o.fields, f)
	}
	return o, nil
}

func fieldOf(sf reflect.StructField, name, options string, depth int) (field, error) {
	f := field{
		name: name, index: sf.Index, pointer: sf.Type.Kind() == reflect.Pointer,
		title: sf.Tag.Get("title"), doc: sf.Tag.Get("doc"), header: sf.Tag.Get("header"),
	}
	t := sf.Type
	if f.pointer {
		t = t.Elem()
	}
	var err error
	if f.shape, err = shapeOf(t, depth); err != nil {
		return f, err
	}
	if err := f.shape.bound(sf.Tag); err != nil {
		return f, err
	}
	if text, ok := sf.Tag.Lookup("default"); ok {
		if f.fallback, err = f.shape.literal(text); err != nil {
			return f, err
		}
	}
	f.extension, f.unlisted = sf.Tag.Get("extension") == "true", sf.Tag.Get("listed") == "false"
	optional := strings.Contains(options, "omitzero") || strings.Contains(options, "omitempty")
	f.required = !f.pointer && !optional && f.fallback == nil
	if (f.extension || f.unlisted) && f.required {
		return f, errors.New("an extension and an argument that is not listed must be optional")
	}
	return f, nil
}

var (
	timeType = reflect.TypeFor[time.Time]()
	rawType  = reflect.TypeFor[json.RawMessage]()
)

// kinds maps Go's kinds to ours where nothing more has to be known.
var kinds = map[reflect.Kind]kind{
	reflect.String: stringKind, reflect.Bool: boolKind, reflect.Interface: anyKind,
	reflect.Int: intKind, reflect.Int8: intKind, reflect.Int16: intKind, reflect.Int32: intKind, reflect.Int64: intKind,
	reflect.Uint: intKind, reflect.Uint8: intKind, reflect.Uint16: intKind, reflect.Uint32: intKind, reflect.Uint64: intKind,
	reflect.Float32: floatKind, reflect.Float64: floatKind,
}

func shapeOf(t reflect.Type, depth int) (shape, error) {
	s := shape{typ: t}
	switch {
	case t == timeType:
		s.kind = timeKind
	case t == rawType:
		s.kind = anyKind
	case t.Kind() == reflect.Slice:
		s.kind = arrayKind
		return s, s.setElem(t.Elem(), depth)
	case t.Kind() == reflect.Map && t.Key().Kind() == reflect.String:
		s.kind = mapKind
		return s, s.setElem(t.Elem(), depth)
	case t.Kind() == reflect.Struct:
		s.kind = objectKind
		var err error
		s.object, err = objectOf(t, depth+1)
		return s, err
	default:
		k, ok := kinds[t.Kind()]
		if !ok {
			return s, fmt.Errorf("type %s has no JSON form here", t)
		}
		s.kind = k
	}
	return s, nil
}

func (s *shape) setElem(t reflect.Type, depth int) error {
	elem, err := shapeOf(t, depth+1)
	s.elem = &elem
	return err
}

// bound reads the tags that narrow a shape.
func (s *shape) bound(tag reflect.StructTag) error {
	for _, b := range []struct {
		key string
		to  **float64
	}{{"min", &s.min}, {"max", &s.max}} {
		text, ok := tag.Lookup(b.key)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("tag %s: %w", b.key, err)
		}
		*b.to = &n
	}
	s.quiet = tag.Get("bounds") == "enforced"
	if text, ok := tag.Lookup("enum"); ok {
		if s.kind != stringKind {
			return errors.New("tag enum is for strings")
		}
		s.enum = strings.Split(text, "|")
	}
	return nil
}

// literal is the JSON of a default as a tag spells it.
func (s *shape) literal(text string) ([]byte, error) {
	raw := []byte(text)
	if s.kind == stringKind {
		raw = jsonrpc.AppendString(nil, text)
	}
	var found Error
	s.decode(raw, reflect.New(s.typ).Elem(), "default", &found)
	if len(found.Violations) > 0 || jsonrpc.Valid(raw, maxNesting) != nil {
		return nil, fmt.Errorf("tag default: %q does not fit", text)
	}
	return raw, nil
}

func (o *object) append(dst []byte) []byte {
	dst = append(dst, `{"type":"object","properties":{`...)
	for i := range o.fields {
		f := &o.fields[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsonrpc.AppendString(dst, f.name), ':')
		dst = f.append(dst)
	}
	dst = append(dst, '}')
	if len(o.fields) == 0 {
		dst = append(dst, `,"additionalProperties":false`...)
	}
	return append(o.appendRequired(dst), '}')
}

func (o *object) appendRequired(dst []byte) []byte {
	opened := false
	for i := range o.fields {
		if !o.fields[i].required {
			continue
		}
		if opened {
			dst = append(dst, ',')
		} else {
			dst, opened = append(dst, `,"required":[`...), true
		}
		dst = jsonrpc.AppendString(dst, o.fields[i].name)
	}
	if opened {
		dst = append(dst, ']')
	}
	return dst
}

func (f *field) append(dst []byte) []byte {
	from := len(dst)
	dst = f.shape.append(dst)
	dst = dst[:len(dst)-1] // open it again
	add := func(key, value string) {
		if value == "" {
			return
		}
		if len(dst) > from+1 {
			dst = append(dst, ',')
		}
		dst = jsonrpc.AppendString(append(jsonrpc.AppendString(dst, key), ':'), value)
	}
	add("title", f.title)
	add("description", f.doc)
	add("x-mcp-header", f.header)
	if f.fallback != nil {
		dst = append(append(dst, `,"default":`...), f.fallback...)
	}
	return append(dst, '}')
}

// words are the type members and the names of the bounds by kind.
var words = [...]struct{ json, min, max string }{
	anyKind:    {`{`, "", ""},
	stringKind: {`{"type":"string"`, "minLength", "maxLength"},
	boolKind:   {`{"type":"boolean"`, "", ""},
	intKind:    {`{"type":"integer"`, "minimum", "maximum"},
	floatKind:  {`{"type":"number"`, "minimum", "maximum"},
	timeKind:   {`{"type":"string","format":"date-time"`, "", ""},
	arrayKind:  {`{"type":"array","items":`, "minItems", "maxItems"},
	mapKind:    {`{"type":"object","additionalProperties":`, "", ""},
}

func (s *shape) append(dst []byte) []byte {
	if s.kind == objectKind {
		return s.object.append(dst)
	}
	w := words[s.kind]
	dst = append(dst, w.json...)
	switch {
	case s.elem == nil:
	case s.kind == arrayKind && s.elem.kind == anyKind: // hosts refuse items of no type
		dst = append(dst, `{"type":"object"}`...)
	default:
		dst = s.elem.append(dst)
	}
	if s.min != nil && w.min != "" && !s.quiet {
		dst = strconv.AppendFloat(append(dst, `,"`+w.min+`":`...), *s.min, 'f', -1, 64)
	}
	if s.max != nil && w.max != "" && !s.quiet {
		dst = strconv.AppendFloat(append(dst, `,"`+w.max+`":`...), *s.max, 'f', -1, 64)
	}
	if s.enum != nil {
		dst = append(dst, `,"enum":[`...)
		for i, v := range s.enum {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = jsonrpc.AppendString(dst, v)
		}
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

// near is the field whose name is at most two edits away from name, or "".
func (o *object) near(name string) string {
	best, at := 3, ""
	if utf8.RuneCountInString(name) > 64 {
		return ""
	}
	for i := range o.fields {
		if d := levenshtein.ComputeDistance(name, o.fields[i].name); d < best {
			best, at = d, o.fields[i].name
		}
	}
	return at
}

package clients

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonSyntax reads JSON with comments and trailing commas, because some of the
// clients do; it never adds either to a file that has none.
var jsonSyntax = syntax{render: renderJSON, merge: mergeJSON, member: memberJSON}

var byteOrderMark = []byte("\uFEFF")

func renderJSON(key, name string, entry object) []byte {
	return append(indented(object{{key, object{{name, entry}}}}, "", "  "), '\n')
}

// mergeJSON leaves a byte order mark out: RFC 8259 forbids to write one, and clients that
// parse strictly lose all their servers to it.
func mergeJSON(old []byte, key, name string, entry object) ([]byte, error) {
	bare := bytes.TrimPrefix(old, byteOrderMark)
	root, err := parseJSON(bare)
	if err != nil {
		return nil, err
	}
	ed := editor{layout: layoutOf(bare)}
	if err := ed.merge(&root, object{{key, object{{name, entry}}}}, nil); err != nil {
		return nil, err
	}
	if !ed.changed {
		return bare, nil
	}
	return root.Pack(), nil
}

func memberJSON(old []byte, key, name, member string) (any, error) {
	root, err := parseJSON(bytes.TrimPrefix(old, byteOrderMark))
	if err != nil {
		return nil, err
	}
	value := &root
	for _, step := range []string{key, name, member} {
		o, ok := value.Value.(*hujson.Object)
		if !ok {
			return nil, nil
		}
		if value = find(o, step); value == nil {
			return nil, nil
		}
	}
	return plainValue(value), nil
}

func parseJSON(text []byte) (hujson.Value, error) {
	root, err := hujson.Parse(text)
	if err != nil {
		reason := strings.TrimPrefix(err.Error(), "hujson: ")
		return root, invalid("it is not valid JSON: %s", reason)
	}
	return root, nil
}

// An editor brings objects of one file up to date.
type editor struct {
	layout  layout
	changed bool
}

// merge makes the object at v have the wanted members, and those inside them,
// without touching any other. path leads to v.
func (ed *editor) merge(v *hujson.Value, want object, path []string) error {
	have, ok := v.Value.(*hujson.Object)
	if !ok {
		return invalid("%s is not an object", spell(path))
	}
	for _, m := range want {
		if err := ed.set(have, m, append(path, m.key)); err != nil {
			return err
		}
	}
	return nil
}

// set makes one member have its wanted value.
func (ed *editor) set(have *hujson.Object, m member, path []string) error {
	there := find(have, m.key)
	inner, nested := m.value.(object)
	switch {
	case there == nil:
		ed.add(have, m, len(path))
	case nested:
		return ed.merge(there, inner, path)
	case !same(there, m.value):
		there.Value = ed.layout.value(m.value, len(path))
		ed.changed = true
	}
	return nil
}

// add appends a member. Comments that stood before the closing brace belong to
// what came before them and stay there.
func (ed *editor) add(o *hujson.Object, m member, depth int) {
	before := bytes.TrimRight(o.AfterExtra, " \t\r\n")
	fresh := hujson.ObjectMember{
		Name: hujson.Value{
			BeforeExtra: append(bytes.Clone(before), ed.layout.line(depth)...),
			Value:       hujson.String(m.key),
		},
		Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: ed.layout.value(m.value, depth)},
	}
	if n := len(o.Members); n > 0 && o.Members[n-1].Value.AfterExtra != nil {
		fresh.Value.AfterExtra = hujson.Extra{} // the object ends its lists with commas
	}
	o.Members = append(o.Members, fresh)
	o.AfterExtra = ed.layout.line(depth - 1)
	ed.changed = true
}

// find is the value of a member; of several of one name the last, which is the
// one that counts.
func find(o *hujson.Object, key string) *hujson.Value {
	for i := len(o.Members) - 1; i >= 0; i-- {
		if name, ok := o.Members[i].Name.Value.(hujson.Literal); ok && name.String() == key {
			return &o.Members[i].Value
		}
	}
	return nil
}

// same reports whether a value of the file is the wanted one.
func same(there *hujson.Value, want any) bool {
	var wanted any
	_ = json.Unmarshal(compact(want), &wanted) // compact made it valid
	return reflect.DeepEqual(plainValue(there), wanted)
}

// plainValue returns a value of the file, nil when there is none.
func plainValue(v *hujson.Value) any {
	strict := v.Clone()
	strict.Standardize()
	var plain any
	_ = json.Unmarshal(strict.Pack(), &plain) // the file was parsed
	return plain
}

func spell(path []string) string {
	if len(path) == 0 {
		return "the file"
	}
	return "\"" + strings.Join(path, ".") + "\""
}

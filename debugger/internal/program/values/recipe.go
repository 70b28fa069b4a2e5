package values

import (
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// A showFunc shows a value at a nesting depth, reached through a number of
// pointers.
type showFunc func(r *renderer, o Object, depth, pointers int) (content, error)

// A recipe shows values of a library type. prefix is the start of the type's
// name.
type recipe struct {
	prefix string
	show   showFunc
}

// find returns the first recipe for the name of a type, or nil.
func find(recipes []recipe, name string) showFunc {
	for _, row := range recipes {
		if name != "" && strings.HasPrefix(name, row.prefix) {
			return row.show
		}
	}
	return nil
}

// down follows a path of member names, separated by dots.
func (o Object) down(path string) (Object, error) {
	if path == "" {
		return o, nil
	}
	return o.descend(strings.Split(path, ".")...)
}

// countAt returns a function that reads the number of elements at a path.
func countAt(path string) func(Object) (int64, error) {
	return func(o Object) (int64, error) {
		n, err := o.down(path)
		if err != nil {
			return 0, err
		}
		return n.Int()
	}
}

// libraryName returns the name of a type in the tables of library types, or "".
func libraryName(t *types.Type) string {
	if name := t.LibraryName(); name != "" {
		return name
	}
	if s := t.Strip(); t.Lang == lang.Rust && s.Kind == types.KindStruct {
		return s.Name()
	}
	return ""
}

// An entry is an entry of a map. A set's entries have a key only.
type entry struct{ key, elem Object }

// pairOf returns the entry in a pair, given the names of its members.
func pairOf(pair Object, first, second string) (entry, error) {
	key, err := pair.Member(first)
	if err != nil {
		return entry{}, err
	}
	elem, err := pair.Member(second)
	return entry{key, elem}, err
}

// entries shows a map as {key: value}, or a set as {key}. total is the number of
// elements in the container, which may exceed len(entries).
func (r *renderer) entries(s style, entries []entry, total uint64, isMap bool, depth, pointers int) content {
	c := content{cut: uint64(len(entries)) < total}
	for i, e := range entries {
		if r.left <= 0 {
			c.cut = true
			break
		}
		key := r.value(e.key, depth+1, pointers)
		if !isMap {
			key.Name = fmt.Sprintf("[%d]", i)
			c.children = append(c.children, key)
			continue
		}
		v := r.value(e.elem, depth+1, pointers)
		v.Name = key.Text
		c.children = append(c.children, v)
	}
	c.text = "{" + s.commas(c.children, c.cut, isMap, r.limits.maxText()) + "}"
	return c
}

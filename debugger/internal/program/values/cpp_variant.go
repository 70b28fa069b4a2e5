package values

import (
	"errors"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// maxAlternatives bounds the alternatives of a variant and the elements of a tuple.
const maxAlternatives = 256

// showVariant shows the alternative that a std::variant of libstdc++ holds,
// with its type: "int(5)". The alternatives are the first members of nested
// unions.
func showVariant(r *renderer, o Object, depth, pointers int) (content, error) {
	index, err := o.Member("_M_index")
	if err != nil {
		return content{}, err
	}
	n, err := index.Uint()
	if err != nil {
		return content{}, err
	}
	if n == 1<<(8*index.Size())-1 {
		return content{text: "<valueless>"}, nil
	}
	u, err := o.Member("_M_u")
	for ; n > 0 && n <= maxAlternatives && err == nil; n-- {
		u, err = u.Member("_M_rest")
	}
	if err != nil {
		return content{}, err
	}
	first, err := u.Member("_M_first")
	if err != nil || n > 0 {
		return content{}, errors.Join(err, errors.New("variant is not valid"))
	}
	t := first.Type.TemplateArg(0) // argument of _Uninitialized, the storage of the alternative
	if t == nil {
		return content{}, errors.New("variant is not valid")
	}
	v := r.value(first.part("", t, 0), depth+1, pointers)
	text := t.String() + v.Text
	if !strings.HasPrefix(v.Text, "{") {
		text = t.String() + "(" + v.Text + ")"
	}
	return content{text: text, children: []Value{v}, cut: v.Cut}, nil
}

// showTuple shows the elements of a std::tuple of libstdc++, each of which is
// in a numbered base class.
func showTuple(r *renderer, o Object, depth, pointers int) (content, error) {
	var elems []Object
	for n := range maxAlternatives {
		prefix := fmt.Sprintf("std::_Head_base<%d", n)
		head, ok := o.find(2*maxAlternatives, func(f types.Field) bool {
			rest, ok := strings.CutPrefix(f.Type().Name(), prefix)
			return ok && f.Base && rest != "" && (rest[0] < '0' || rest[0] > '9')
		})
		if !ok {
			break
		}
		t := head.Type.TemplateArg(0)
		if t == nil {
			return content{}, errors.New("tuple is not valid")
		}
		elems = append(elems, head.part("", t, 0))
	}
	at := func(n int64) Object { return elems[n] }
	return r.elements(int64(len(elems)), cStyle, at, depth, pointers)
}

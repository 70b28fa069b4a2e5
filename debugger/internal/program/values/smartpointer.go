package values

import (
	"errors"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// A smartPointer is a library type that is used like the pointer that it holds.
type smartPointer struct {
	prefix  string // start of the type's name
	pointer func(Object) (Object, error)
	within  string // the member of the target to return; "" for the whole target
}

// smartPointers lists the smart pointers of each language.
var smartPointers = map[lang.Lang][]smartPointer{
	lang.CPlusPlus: {
		{"std::unique_ptr<", uniquePointer, ""},
		{"std::shared_ptr<", sharedPointer, ""},
		{llvmPrefix + "unique_ptr<", llvmPointer, ""},
		{llvmPrefix + "shared_ptr<", llvmPointer, ""},
	},
	lang.Rust: {
		{"alloc::rc::Rc<", countedPointer, "value"},
		{"alloc::sync::Arc<", countedPointer, "data"},
	},
}

// smartOf returns the smart pointer for a type, or nil.
func smartOf(t *types.Type) *smartPointer {
	s := t.Strip()
	rows := smartPointers[t.Lang]
	for i := range rows {
		if (s.Kind == types.KindClass || s.Kind == types.KindStruct) && strings.HasPrefix(s.Name(), rows[i].prefix) {
			return &rows[i]
		}
	}
	return nil
}

// uniquePointer returns the pointer in a std::unique_ptr of libstdc++: the first
// element of a tuple, whose second is a deleter that has members.
func uniquePointer(o Object) (Object, error) {
	head, ok := o.find(8, func(f types.Field) bool { return strings.HasPrefix(f.Type().Name(), "std::_Head_base<0") })
	if !ok {
		return Object{}, errors.New("pointer is not valid")
	}
	return head.Member("_M_head_impl")
}

func sharedPointer(o Object) (Object, error) { return o.Member("_M_ptr") }

// llvmPointer returns the pointer in a smart pointer of libc++. It is a member,
// or the first of a pair with the deleter.
func llvmPointer(o Object) (Object, error) {
	p, err := o.Member("__ptr_")
	if err != nil || p.Type.Strip().Kind == types.KindPointer {
		return p, err
	}
	p, ok := p.find(4, isPointer)
	if !ok {
		return Object{}, errors.New("pointer is not valid")
	}
	return p, nil
}

func countedPointer(o Object) (Object, error) { return o.descend("ptr", "pointer") }

// Pointer returns the pointer in a C++ smart pointer, and false for other types.
func (o Object) Pointer() (Object, bool, error) {
	t := o.Type.Referred()
	row := smartOf(t)
	if row == nil || t.Lang != lang.CPlusPlus {
		return Object{}, false, nil
	}
	o, err := o.referred()
	if err != nil {
		return Object{}, true, err
	}
	p, err := row.pointer(o)
	return p, true, err
}

// Pointee returns the target of a smart pointer or the value of an optional, and
// false for other types.
func (o Object) Pointee() (Object, bool, error) {
	follow := pointeeOf(o.Type.Referred())
	if follow == nil {
		return Object{}, false, nil
	}
	o, err := o.referred()
	if err == nil {
		o, err = follow(o)
	}
	return o, true, err
}

// pointeeOf returns the function that finds the target for a type, or nil.
func pointeeOf(t *types.Type) func(Object) (Object, error) {
	s := t.Strip()
	switch row := smartOf(t); {
	case row != nil:
		return row.follow
	case t.Lang == lang.CPlusPlus && strings.HasPrefix(s.Name(), "std::optional<"):
		return optionalValue
	case t.Lang == lang.Rust && s.Kind == types.KindPointer && strings.HasPrefix(s.Name(), boxPrefix):
		return Object.Deref
	}
	return nil
}

func (row *smartPointer) follow(o Object) (Object, error) {
	p, err := row.pointer(o)
	if err != nil {
		return Object{}, err
	}
	to, err := p.Deref()
	if err != nil || row.within == "" {
		return to, err
	}
	return to.Member(row.within)
}

// optionalValue returns the value of a std::optional of libstdc++.
func optionalValue(o Object) (Object, error) {
	engaged, err := o.number("_M_payload", "_M_engaged")
	if err != nil {
		return Object{}, err
	}
	if engaged == 0 {
		return Object{}, errors.New("the optional has no value")
	}
	elem := o.Type.TemplateArg(0)
	p, err := o.descend("_M_payload", "_M_payload")
	if err != nil || elem == nil {
		return Object{}, errors.Join(err, errors.New("optional is not valid"))
	}
	return p.part("", elem, 0), nil
}

// Reach returns a member as the language's operators do: a member of a smart
// pointer's target for -> in C++ and the dot in Rust, and a member of the object
// itself otherwise.
func (o Object) Reach(name string, arrow bool) (Object, error) {
	return o.reach(name, arrow, types.MaxReferences)
}

func (o Object) reach(name string, arrow bool, depth int) (Object, error) {
	o, err := o.referred()
	if err != nil {
		return Object{}, err
	}
	own, err := o.Member(name)
	if depth == 0 || err == nil && !arrow && o.Type.Lang != lang.Rust {
		return own, err
	}
	to, smart, followErr := o.Pointee()
	if !smart {
		return own, err
	}
	if followErr == nil {
		to, followErr = to.reach(name, false, depth-1)
	}
	if followErr != nil && err == nil {
		return own, nil
	}
	return to, followErr
}

package values

import (
	"errors"
	"fmt"
)

// cppRecipes lists the types of libstdc++ and libc++ that have a form of their
// own. Names in std::__cxx11 are looked up as if in std.
var cppRecipes = []recipe{
	{"std::basic_string<", cppString},
	{"std::basic_string_view<", cppStringView},
	{"std::vector<bool,", showIndexed},
	{"std::vector<", showVector},
	{"std::deque<", showIndexed},
	{"std::array<", showIndexed},
	{"std::map<", showTree},
	{"std::multimap<", showTree},
	{"std::set<", showTree},
	{"std::multiset<", showTree},
	{"std::unordered_map<", showHash},
	{"std::unordered_multimap<", showHash},
	{"std::unordered_set<", showHash},
	{"std::unordered_multiset<", showHash},
	{"std::list<", showList},
	{"std::unique_ptr<", showUnique},
	{"std::shared_ptr<", showShared},
	{"std::weak_ptr<", showShared},
	{"std::optional<", showOptional},
	{"std::variant<", showVariant},
	{"std::tuple<", showTuple},
	{"std::function<", showFunction},
	{"std::bitset<", showBitset},
	{"std::__n4861::coroutine_handle<", showCoroutine}, // the namespace is part of libstdc++'s ABI
	{llvmPrefix + "coroutine_handle<", showCoroutine},
	{llvmPrefix + "basic_string<char,", showLLVM},
	{llvmPrefix + "basic_string_view<char,", showLLVM},
	{llvmPrefix + "vector<", showLLVM},
}

// showCPP shows types of the standard library. A value whose layout is not the
// expected one, or that is not initialized, is shown member by member.
func showCPP(r *renderer, o Object, depth, pointers int) (content, bool, error) {
	name := o.Type.LibraryName()
	show := find(r.cpp, name)
	if show == nil {
		return content{}, false, nil
	}
	c, err := show(r, o, depth, pointers)
	if len(o.pieces) > 1 { // some parts may be known
		return c, err == nil, nil
	}
	return c, err == nil, lastingError(err)
}

// lastingError returns err if it would also occur when the value is shown member
// by member, and nil otherwise.
func lastingError(err error) error {
	if errors.Is(err, ErrOptimizedOut) || errors.Is(err, ErrUnavailable) {
		return err
	}
	return nil
}

func cppString(r *renderer, o Object, _, _ int) (content, error) {
	ptr, err := o.descend("_M_dataplus", "_M_p")
	if err != nil {
		return content{}, err
	}
	return r.characters(o, ptr, "_M_string_length")
}

func cppStringView(r *renderer, o Object, _, _ int) (content, error) {
	ptr, err := o.descend("_M_str")
	if err != nil {
		return content{}, err
	}
	return r.characters(o, ptr, "_M_len")
}

// characters shows a string given by its pointer and the member with its
// length.
func (r *renderer) characters(o, ptr Object, length string) (content, error) {
	n, err := o.number(length)
	if err != nil {
		return content{}, err
	}
	if _, ok := ptr.impliedPointer(); ok {
		return r.impliedText(ptr, int64(n))
	}
	addr, err := ptr.Uint()
	if err != nil {
		return content{}, err
	}
	elem := ptr.Type.Strip().Elem()
	if elem.ByteSize() == 1 {
		return r.text(o.View.Memory, addr, int64(n))
	}
	s := sequence{length: int64(n), start: addr, elem: elem, owner: o}
	return r.wideText(s)
}

// impliedText shows the characters of an object that has no address, but that an
// implicit pointer points to.
func (r *renderer) impliedText(ptr Object, n int64) (content, error) {
	to, err := ptr.Deref()
	if err != nil {
		return content{}, err
	}
	if n < 0 || to.Type.ByteSize() != 1 {
		return content{}, ErrOptimizedOut
	}
	b := make([]byte, min(n, int64(r.limits.String)+1))
	if err := to.read(0, b); err != nil {
		return content{}, err
	}
	return content{text: r.quote(b, false), cut: n > int64(r.limits.String)}, nil
}

func showVector(r *renderer, o Object, depth, pointers int) (content, error) {
	s, _, err := sequenceOf(o)
	if err != nil {
		return content{}, err
	}
	return r.elements(s.length, cStyle, s.at, depth, pointers)
}

func showUnique(r *renderer, o Object, depth, pointers int) (content, error) {
	p, err := uniquePointer(o)
	if err != nil {
		return content{}, err
	}
	p.Name = o.Name
	return r.pointer(p, p.Type.Strip(), depth, pointers)
}

// showShared shows the pointer and its use count.
func showShared(r *renderer, o Object, depth, pointers int) (content, error) {
	p, err := o.Member("_M_ptr")
	if err != nil {
		return content{}, err
	}
	p.Name = o.Name
	c, err := r.pointer(p, p.Type.Strip(), depth, pointers)
	if err != nil {
		return content{}, err
	}
	if count, err := o.descend("_M_refcount", "_M_pi"); err == nil {
		if users, err := count.number("_M_use_count"); err == nil {
			c.text += fmt.Sprintf(" (use count %d)", int32(users))
		}
	}
	return c, nil
}

func showOptional(r *renderer, o Object, depth, pointers int) (content, error) {
	engaged, err := o.number("_M_payload", "_M_engaged")
	if err != nil {
		return content{}, err
	}
	if engaged == 0 {
		return content{text: "<no value>"}, nil
	}
	held, err := optionalValue(o)
	if err != nil {
		return content{}, err
	}
	v := r.value(held, depth+1, pointers)
	return content{text: v.Text, children: v.Children, cut: v.Cut}, nil
}

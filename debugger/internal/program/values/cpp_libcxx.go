package values

import "errors"

// llvmPrefix begins the names of libc++'s types.
const llvmPrefix = "std::__1::"

// llvmString is the size of a string of libc++ in bytes. The lowest bit of the
// first byte is set for long strings, with the length in the second word and
// the address in the third. The characters of short ones follow the first
// byte, whose upper bits are the length.
const llvmString = 24

// showLLVM shows strings and vectors of libc++.
func showLLVM(r *renderer, o Object, depth, pointers int) (content, error) {
	if s, ok, err := textOf(o); ok || err != nil {
		if err != nil {
			return content{}, err
		}
		return r.text(o.View.Memory, s.start, s.length)
	}
	s, _, err := sequenceOf(o)
	if err != nil {
		return content{}, err
	}
	return r.elements(s.length, cStyle, s.at, depth, pointers)
}

// libcxxString returns the characters of a string of libc++.
func libcxxString(o Object) (sequence, error) {
	b, err := o.Bytes()
	addr, inMemory := o.Address()
	switch {
	case err != nil:
		return sequence{}, err
	case len(b) != llvmString:
		return sequence{}, errNotValid
	case b[0]&1 == 0 && !inMemory:
		return sequence{}, errors.New("the string is not in memory")
	}
	s := sequence{start: addr + 1, length: int64(b[0] >> 1), elem: o.Type.TemplateArg(0), owner: o}
	if b[0]&1 != 0 {
		s.start, s.length = word(b[16:]), int64(word(b[8:]))
	}
	if s.length < 0 || s.length > maxLength {
		return sequence{}, errNotValid
	}
	return s, nil
}

// libcxxView returns the characters of a string_view of libc++. The names of its
// members differ by version.
func libcxxView(o Object) (sequence, error) {
	l := layout{start: "__data_", count: "__size_"}
	if s, err := l.sequence(o); err == nil {
		return s, nil
	}
	l = layout{start: "__data", count: "__size"}
	return l.sequence(o)
}

package values

import "errors"

// llvmPrefix begins the names of libc++'s types.
const llvmPrefix = "std::__1::"

// llvmString is the size of a string of libc++ in bytes. The lowest bit of the
// first byte is set for long strings, with the length in the second word and
// the address in the third. The characters of short ones follow the first
// byte, whose upper bits are the length.
const llvmString = 24

func (o Object) llvmSpan() (span, error) {
	b, err := o.Bytes()
	addr, inMemory := o.Address()
	switch {
	case err != nil:
		return span{}, err
	case len(b) != llvmString:
		return o.llvmView()
	case b[0]&1 == 0 && !inMemory:
		return span{}, errors.New("the string is not in memory")
	case b[0]&1 == 0:
		return span{addr + 1, uint64(b[0] >> 1)}, nil
	}
	s := span{word(b[16:]), word(b[8:])}
	if s.length > 1<<48 {
		return span{}, errors.New("string is not valid")
	}
	return s, nil
}

// llvmView returns the characters of a string_view. The names of its members
// differ by version.
func (o Object) llvmView() (span, error) {
	if s, err := o.spanOf("__data_", "__size_"); err == nil {
		return s, nil
	}
	return o.spanOf("__data", "__size")
}

// llvmVector returns the elements of a vector of libc++ other than
// vector<bool>.
func (o Object) llvmVector() (sequence, bool, error) {
	begin, err := o.Member("__begin_")
	if err != nil {
		return sequence{}, false, err
	}
	from, err := begin.Uint()
	to, err2 := o.number("__end_")
	if err := errors.Join(err, err2); err != nil {
		return sequence{}, false, err
	}
	return o.between(from, to, begin.Type.Strip().Elem())
}

// showLLVM shows strings and vectors of libc++.
func showLLVM(r *renderer, o Object, depth, pointers int) (content, error) {
	if s, ok, err := o.span(); ok || err != nil {
		if err != nil {
			return content{}, err
		}
		return r.text(o.View.Memory, s.addr, int64(s.length))
	}
	s, _, err := o.sequence()
	if err != nil {
		return content{}, err
	}
	return r.elements(s.length, cStyle, s.at, depth, pointers)
}

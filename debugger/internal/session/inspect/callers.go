package inspect

import (
	"math"
)

// MaxInlined bounds the frames of one function with its inlined ones.
const MaxInlined = 100

// maxCallers bounds the callers that are checked for catching an exception.
const maxCallers = 256

// CallersEnd returns the end of the stack frames of the current thread's
// callers, 0 if it is not known, or not needed as in Go.
func (s *Inspector) CallersEnd() uint64 {
	if s.IsGo() {
		return 0
	}
	frames, _ := s.Frames(0, maxCallers) // without frames it is not known
	top := uint64(0)
	for i := range frames {
		f := &frames[i]
		if f.Guessed || f.CFA == 0 || f.CFA == math.MaxUint64 {
			break
		}
		top = max(top, f.CFA)
	}
	return top
}

// unwinders are the functions that search for the handler of an exception and
// transfer control to it (Itanium C++ ABI: Exception Handling, 1.3 and 1.6).
var unwinders = map[string]bool{
	"_Unwind_RaiseException": true, "_Unwind_ForcedUnwind": true, "_Unwind_Resume": true, "_Unwind_Resume_or_Rethrow": true,
}

// maxUnwinder bounds the call depth inside an unwinder.
const maxUnwinder = 32

// Throwing reports whether the current thread is throwing an exception.
func (s *Inspector) Throwing() bool {
	frames, err := s.Frames(0, maxUnwinder)
	for i := range frames {
		if unwinders[frames[i].Function] {
			return err == nil
		}
	}
	return false
}

package inspect

import (
	"math"
)

// MaxInlined is how many frames one function with what is inlined may have.
const MaxInlined = 100

// maxCallers is how many callers may catch what is thrown; further out it is
// not noticed.
const maxCallers = 256

// CallersEnd is the end of the frames of the functions that the current thread is
// in, 0 if it is not known or not needed.
func (s *Inspector) CallersEnd() uint64 {
	if s.IsGo() {
		return 0
	}
	frames, _ := s.Frames(0, maxCallers) // without any it is not known
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

// unwinders are the functions that look for who catches an exception, and take
// the thread there (Itanium C++ ABI: Exception Handling, 1.3 and 1.6).
var unwinders = map[string]bool{
	"_Unwind_RaiseException": true, "_Unwind_ForcedUnwind": true, "_Unwind_Resume": true, "_Unwind_Resume_or_Rethrow": true,
}

// maxUnwinder is how deep an unwinder's calls may be.
const maxUnwinder = 32

// Throwing says whether the current thread is looking for who catches an
// exception.
func (s *Inspector) Throwing() bool {
	frames, err := s.Frames(0, maxUnwinder)
	for i := range frames {
		if unwinders[frames[i].Function] {
			return err == nil
		}
	}
	return false
}

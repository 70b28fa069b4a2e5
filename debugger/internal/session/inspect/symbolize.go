package inspect

import (
	"fmt"
)

// Symbol returns the function or variable at an address, with the distance
// from its start; "" if there is none.
func (s *Inspector) Symbol(addr uint64) string {
	name, off, ok := s.Symbolize(addr)
	switch {
	case !ok:
		return ""
	case off == 0:
		return name
	}
	return fmt.Sprintf("%s+%#x", name, off)
}

// Symbolize names an address of code or data. Compilers move cold parts of a
// function elsewhere; if such a part lies before its function, the negative
// distance is part of the name.
func (s *Inspector) Symbolize(addr uint64) (string, uint64, bool) {
	f, ok := s.Program.Function(addr)
	switch {
	case !ok || f.Name == "":
		return s.Program.Variable(addr)
	case f.Offset < 0:
		return fmt.Sprintf("%s%+#x", f.Name, f.Offset), 0, true
	}
	return f.Name, uint64(f.Offset), true
}

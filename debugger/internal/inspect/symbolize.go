package inspect

import (
	"fmt"
)

// Symbol is the function or variable that an address is in, with how far; "" when
// it is in none.
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

// Symbolize names an address of code or data for the disassembler. Compilers
// put the parts of a function that are seldom run elsewhere; the distance of one
// before its function is in the name.
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

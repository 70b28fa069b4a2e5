package values

import (
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
)

// showCoroutine shows the coroutine of a std::coroutine_handle of libstdc++ or libc++: its
// function, and whether it has ended. Its frame begins with the functions that resume and
// destroy it; the first is 0 after its end.
func showCoroutine(_ *renderer, o Object, _, _ int) (content, error) {
	frame, err := o.number("_M_fr_ptr")
	if err != nil {
		frame, err = o.number("__handle_")
	}
	if err != nil {
		return content{}, err
	}
	if frame == 0 {
		return content{text: "<empty>"}, nil
	}
	resume, err := symbols.ReadWord(o.View.Memory, frame)
	if err != nil {
		return content{}, err
	}
	destroy, err := symbols.ReadWord(o.View.Memory, frame+8)
	if err != nil {
		return content{}, err
	}
	if resume == destroy { // of std::noop_coroutine
		return content{text: fmt.Sprintf("%#x <noop>", frame)}, nil
	}
	f, _ := o.View.Image.Program.Function(destroy)
	name := coroutineName(f.Name)
	if resume == 0 {
		name += ", done"
	}
	return content{text: fmt.Sprintf("%#x <%s>", frame, name)}, nil
}

// coroutineName returns the name of a coroutine from that of a part of it: gcc has
// count(count(int)::_Z5counti.Frame*) or count, clang count(int) with a suffix.
func coroutineName(part string) string {
	name, _, _ := strings.Cut(part, " [clone ")
	if before, _, gcc := strings.Cut(name, ".Frame*)"); gcc {
		name = before[:strings.Index(before+"(", "(")]
	}
	if name == "" {
		return "unknown function"
	}
	return name
}

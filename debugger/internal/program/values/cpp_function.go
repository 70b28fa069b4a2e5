package values

import (
	"fmt"
	"strings"
)

// showFunction shows the target of a libstdc++ std::function: the name of a
// function, or the class of an object. It is taken from the template arguments of
// the invoker, the function that calls the target.
func showFunction(_ *renderer, o Object, _, _ int) (content, error) {
	manager, err := o.number("_M_manager")
	if err != nil {
		return content{}, err
	}
	if manager == 0 {
		return content{text: "<empty>"}, nil
	}
	invoker, err := o.number("_M_invoker")
	if err != nil {
		return content{}, err
	}
	f, _ := o.View.Image.Program.Function(invoker)
	target, ok := handled(f.Name)
	if !ok {
		return content{text: fmt.Sprintf("%#x", invoker) + o.View.symbolText(invoker)}, nil
	}
	if !strings.Contains(target, "(*)") {
		return content{text: "<" + target + ">"}, nil
	}
	code, err := o.number("_M_functor", "_M_unused", "_M_object")
	if err != nil {
		return content{}, err
	}
	return content{text: fmt.Sprintf("%#x", code) + o.View.symbolText(code)}, nil
}

// handled returns the class that an invoker calls, the second template argument
// of std::_Function_handler.
func handled(invoker string) (string, bool) {
	args, ok := strings.CutPrefix(invoker, "std::_Function_handler<")
	end := strings.LastIndex(args, ">::")
	if !ok || end < 0 {
		return "", false
	}
	args = strings.TrimSpace(args[:end])
	depth := 0
	for i := range len(args) {
		switch args[i] {
		case '<', '(', '[':
			depth++
		case '>', ')', ']':
			depth--
		case ',':
			if depth == 0 {
				return strings.TrimSpace(args[i+1:]), true
			}
		}
	}
	return "", false
}

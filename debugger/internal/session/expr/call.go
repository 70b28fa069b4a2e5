package expr

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/sysv"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
)

// A Caller is a Scope that can call functions of the program.
type Caller interface {
	Scope
	// Signatures returns the functions with a name.
	Signatures(ctx context.Context, name string) ([]symbols.Signature, error)
	// Signature returns the function that begins at an address.
	Signature(addr uint64) (symbols.Signature, bool)
	// Place puts bytes into memory before the next call, and returns their address.
	Place(data []byte) (uint64, error)
	// Call calls a function. Without a known result it returns registers only.
	Call(ctx context.Context, f symbols.Signature, args []sysv.Argument) (Result, error)
}

// A Result holds the values that a function has returned.
type Result struct {
	Object *values.Object // nil if the type is not known
	Int    uint64         // rax
	Float  uint64         // the low half of xmm0
}

// maxArguments bounds the arguments of a call.
const maxArguments = 64

// call parses the arguments of a call after its opening parenthesis.
func (p *parser) call(function node) (node, error) {
	args, err := p.arguments()
	return &callNode{function: function, args: args}, err
}

// methodCall parses the arguments of a method.
func (p *parser) methodCall(of node, name string, arrow bool) (node, error) {
	if arrow {
		of = &unaryNode{"*", of}
	}
	args, err := p.arguments()
	return &callNode{of: of, method: name, args: args}, err
}

func (p *parser) arguments() ([]node, error) {
	p.calls = true
	var args []node
	if p.accept(")") {
		return nil, nil
	}
	for {
		arg, err := p.conditional()
		if err != nil {
			return nil, err
		}
		if args = append(args, arg); len(args) > maxArguments {
			return nil, p.unexpected()
		}
		if !p.accept(",") {
			return args, p.expect(")")
		}
	}
}

func (n *callNode) eval(e *evaluator) (Value, error) { return n.evalAs(e, nil) }

// evalAs calls the function. A function without debug information returns the type to.
func (n *callNode) evalAs(e *evaluator, to *typ) (Value, error) {
	caller, ok := e.scope.(Caller)
	if !ok {
		return Value{}, errors.New(errCall + " here")
	}
	args := make([]Value, len(n.args))
	for i, arg := range n.args {
		var err error
		if args[i], err = arg.eval(e); err != nil {
			return Value{}, err
		}
	}
	f, this, err := n.find(e, caller, args)
	if err != nil {
		return Value{}, err
	}
	if this != nil {
		args = append([]Value{*this}, args...)
	}
	if !f.Known && to == nil {
		return Value{}, fmt.Errorf("what %s returns is not known, as it has no debug information; a cast such as (long)%s(...) says it", f.Name, f.Name)
	}
	passed, err := e.pass(caller, f, args)
	if err != nil {
		return Value{}, err
	}
	result, err := caller.Call(e.ctx, f, passed)
	if err != nil {
		return Value{}, err
	}
	return e.returned(f, result, to)
}

// returned converts a result to a value.
func (e *evaluator) returned(f symbols.Signature, result Result, to *typ) (Value, error) {
	switch {
	case result.Object != nil:
		v := place(*result.Object)
		if v.result = true; to != nil {
			return v.cast(e, to)
		}
		return v, nil
	case f.Known:
		return Value{typ: &typ{name: "void"}}, nil
	case to.class == floating && to.size == 8:
		return Value{typ: to, float: math.Float64frombits(result.Float)}, nil
	case to.class == floating && to.size == 4:
		return Value{typ: to, float: float64(math.Float32frombits(uint32(result.Float)))}, nil
	case to.class == floating, to.size > 8, to.class == aggregate && to.name != "void":
		return Value{}, fmt.Errorf("a result of the type %s is not supported without debug information", to)
	}
	return Value{typ: to, bits: cut(result.Int, to)}, nil
}

// find returns the function to call, and for a method a pointer to its object.
func (n *callNode) find(e *evaluator, caller Caller, args []Value) (symbols.Signature, *Value, error) {
	if n.of != nil {
		return n.findMethod(e, caller, args)
	}
	name, ok := n.function.(*nameNode)
	if ok && !e.isVariable(name.name) {
		all, err := caller.Signatures(e.ctx, name.name)
		if errors.Is(err, symbols.ErrNotFound) {
			return symbols.Signature{}, nil, &NameError{name.name}
		}
		if err != nil {
			return symbols.Signature{}, nil, err
		}
		f, err := overload(all, name.name, args, 0)
		return f, nil, err
	}
	v, err := n.function.eval(e)
	if err != nil {
		return symbols.Signature{}, nil, err
	}
	f, err := pointed(caller, v)
	return f, nil, err
}

// isVariable reports whether a name is that of a variable, which hides functions.
func (e *evaluator) isVariable(name string) bool {
	_, err := e.scope.Variable(e.ctx, name)
	return err == nil
}

// pointed returns the function that a pointer points to. The type of the pointer
// describes it, if its own debug information does not.
func pointed(caller Caller, v Value) (symbols.Signature, error) {
	p, err := v.scalar()
	if err != nil || p.typ.class != pointer {
		return symbols.Signature{}, errors.Join(err, fmt.Errorf("a %s is no function", v.Type()))
	}
	f, ok := caller.Signature(p.bits)
	if !ok {
		return f, fmt.Errorf("no function begins at %#x", p.bits)
	}
	if t := p.typ.elem(); !f.Known && t != nil && t.sym != nil && t.sym.Strip().Kind == types.KindFunc {
		f.Known, f.Lang, f.Result, f.Params = true, t.sym.Lang, t.sym.Strip().Elem(), t.sym.Strip().Parameters()
		f.Variadic = len(f.Params) == 0 && f.Lang == lang.C // perhaps without a prototype
	}
	return f, nil
}

// findMethod returns a method of the object's class or of its bases, or the function
// that a member points to. A virtual method is that of the object's dynamic class.
func (n *callNode) findMethod(e *evaluator, caller Caller, args []Value) (symbols.Signature, *Value, error) {
	v, err := n.of.eval(e)
	if err == nil {
		v, err = v.referred()
	}
	if err != nil {
		return symbols.Signature{}, nil, err
	}
	if v.object == nil || v.typ.sym == nil {
		return symbols.Signature{}, nil, fmt.Errorf("a %s has no methods", v.Type())
	}
	if member, err := v.object.Member(n.method); err == nil {
		f, err := pointed(caller, place(member))
		return f, nil, err
	}
	f, this, err := e.methodOf(caller, *v.object, n.method, args, values.MaxBases)
	if err == nil && f.Virtual {
		f, this, err = e.methodOf(caller, v.object.Dynamic(), n.method, args, values.MaxBases)
	}
	if err != nil {
		return f, nil, err
	}
	addr, ok := this.Address()
	if !ok {
		return f, nil, errors.New("the object is not in memory")
	}
	return f, &Value{typ: pointerTo(typeOf(this.Type)), bits: addr}, nil
}

// methodOf searches a class, then its bases, for a method.
func (e *evaluator) methodOf(caller Caller, o values.Object, name string, args []Value, depth int) (symbols.Signature, values.Object, error) {
	t := o.Type.Strip()
	all, err := caller.Signatures(e.ctx, t.Name()+"::"+name)
	if err == nil {
		f, err := overload(all, name, args, 1)
		return f, o, err
	}
	fields := t.Fields()
	for i := range fields {
		if f := &fields[i]; f.Base && depth > 0 {
			if found, this, err := e.methodOf(caller, o.Field(f), name, args, depth-1); err == nil {
				return found, this, nil
			}
		}
	}
	return symbols.Signature{}, o, fmt.Errorf("%s has no method %s that could be called: %w", o.Type, name, err)
}

// overload chooses the function that fits the arguments best. skipped parameters come
// before those.
func overload(all []symbols.Signature, name string, args []Value, skipped int) (symbols.Signature, error) {
	best, most, equal := -1, -1, false
	for i, f := range all {
		s := fit(f, args, skipped)
		equal = s == most && s >= 0 || equal && s <= most
		if s > most {
			best, most, equal = i, s, false
		}
	}
	switch {
	case best < 0:
		return symbols.Signature{}, fmt.Errorf("%s does not take %d arguments, but %s", name, len(args), counts(all, skipped))
	case equal:
		return symbols.Signature{}, fmt.Errorf("%s means several functions that take these arguments; call one by its address, such as ((long (*)())...)", name)
	}
	return all[best], nil
}

func counts(all []symbols.Signature, skipped int) string {
	var out []string
	for _, f := range all {
		out = append(out, fmt.Sprint(len(f.Params)-skipped))
	}
	return strings.Join(out, " or ")
}

// fit returns how well a function fits the arguments: -1 if it does not, otherwise more
// for each argument of the same class and type.
func fit(f symbols.Signature, args []Value, skipped int) int {
	if !f.Known {
		return 0
	}
	n := len(f.Params) - skipped
	if n < 0 || len(args) < n || len(args) > n && !f.Variadic {
		return -1
	}
	score := 1
	for i := range n {
		param := typeOf(f.Params[skipped+i].Referred())
		arg := args[i].typ
		switch {
		case args[i].text != nil && param.class == pointer, param.class == arg.class:
			score += 2
		case param.isNumber() && arg.isNumber():
			score++
		}
		if args[i].text == nil && param.String() == arg.String() {
			score += 2
		}
	}
	return score
}

// pass converts the arguments of a call.
func (e *evaluator) pass(caller Caller, f symbols.Signature, args []Value) ([]sysv.Argument, error) {
	if err := callable(f, len(args)); err != nil {
		return nil, err
	}
	out := make([]sysv.Argument, len(args))
	for i, v := range args {
		var param *types.Type
		if i < len(f.Params) {
			param = f.Params[i]
		}
		var err error
		if out[i], err = e.argument(caller, v, param); err != nil {
			return nil, fmt.Errorf("argument %d of %s: %w", i+1, f.Name, err)
		}
	}
	return out, nil
}

// callable rejects functions that cannot be called from here.
func callable(f symbols.Signature, args int) error {
	switch {
	case f.Lang == lang.Go:
		return errors.New("functions of Go cannot be called: the runtime would have to know of the call to grow the stack, move what is on it and collect garbage")
	case f.Partial:
		return fmt.Errorf("%s cannot be called: the compiler has made a copy of it that takes other arguments", f.Name)
	case f.Known && (args < len(f.Params) || args > len(f.Params) && !f.Variadic):
		return fmt.Errorf("%s takes %d arguments, not %d", f.Name, len(f.Params), args)
	}
	return nil
}

// argument converts an argument to the type of its parameter; nil means a parameter
// without a declaration, to which C's default promotions apply.
func (e *evaluator) argument(caller Caller, v Value, param *types.Type) (sysv.Argument, error) {
	if v.text != nil {
		addr, err := caller.Place(append([]byte(*v.text), 0))
		if err == nil && param != nil && param.Strip().Kind != types.KindPointer {
			err = fmt.Errorf("a string is no %s", param)
		}
		return sysv.Argument{Bits: addr}, err
	}
	if param == nil {
		return promoted(v)
	}
	t := param.Strip()
	if isReference(t) {
		v, err := v.referred()
		if err != nil || v.object == nil {
			return sysv.Argument{}, errors.Join(err, errors.New("a reference needs a variable"))
		}
		addr, ok := v.object.Address()
		if !ok {
			err = errors.New("what a reference refers to must be in memory")
		}
		return sysv.Argument{Bits: addr}, err
	}
	to := typeOf(param)
	if to.class == aggregate || to.size > 8 {
		return sysv.Argument{}, fmt.Errorf("a %s cannot be passed by value, only numbers and pointers can", param)
	}
	n, err := v.scalar()
	if err != nil {
		return sysv.Argument{}, err
	}
	if (to.class == pointer) && n.typ.class == floating || to.class == floating && n.typ.class == pointer {
		return sysv.Argument{}, fmt.Errorf("a %s is no %s", v.Type(), param)
	}
	c := n.convert(to)
	if to.class != floating && to.class != boolean && !n.fits(c) {
		return sysv.Argument{}, fmt.Errorf("%s does not fit into %s", n.formatNumber(), param)
	}
	return encode(c)
}

// promoted converts an argument by the default promotions of C (C17, 6.5.2.2).
func promoted(v Value) (sysv.Argument, error) {
	n, err := v.scalar()
	if err != nil {
		return sysv.Argument{}, err
	}
	if n.typ.class == floating && n.typ.size == 4 {
		n = n.convert(double)
	}
	return encode(n)
}

// double is the type that a float is promoted to.
var double = &typ{class: floating, size: 8, name: "double"}

// encode returns a number as a register has it.
func encode(v Value) (sysv.Argument, error) {
	switch {
	case v.typ.class != floating:
		return sysv.Argument{Bits: v.bits}, nil
	case v.typ.size == 4:
		return sysv.Argument{Bits: uint64(math.Float32bits(float32(v.float))), Float: true}, nil
	case v.typ.size == 8:
		return sysv.Argument{Bits: math.Float64bits(v.float), Float: true}, nil
	}
	return sysv.Argument{}, fmt.Errorf("a %s cannot be passed, of the floating-point numbers only float and double can", v.typ)
}

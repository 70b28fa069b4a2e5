package waits

import (
	"context"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/callstack"
	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfregs"
	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// Name names memory by the global variable that it is a part of, or by a variable of frames, and else
// by its address.
func Name(ctx context.Context, s *inspect.Inspector, addr uint64, size int64, frames []callstack.Frame) string {
	return newReader(ctx, s).name(object{addr: addr, size: size}, frames)
}

// name names an object by a global variable, or by a variable of the functions that wait for
// it, and else by its address.
func (r *reader) name(o object, frames []callstack.Frame) string {
	if name, ok := r.global(o); ok {
		return name
	}
	for i, described := 0, 0; i < len(frames) && described < maxUsers; i++ {
		f := &frames[i]
		if !f.Described() || ofLibrary(f) {
			continue
		}
		described++
		for _, v := range f.Variables() {
			if name, ok := reach(v, o); ok {
				return withAddress(name, o.addr)
			}
		}
	}
	return plain.Hex(o.addr)
}

// maxUsers bounds the functions whose variables are searched for an object's name.
const maxUsers = 3

// withAddress adds an address to a name, if there is one.
func withAddress(name string, addr uint64) string {
	if name == "" {
		return plain.Hex(addr)
	}
	return name + " (" + plain.Hex(addr) + ")"
}

// ofLibrary reports whether a frame belongs to a C library, whose variables mean nothing to
// who reads the answer.
func ofLibrary(f *callstack.Frame) bool {
	return strings.Contains(f.Image, "/libc.") || strings.Contains(f.Image, "/libpthread") || strings.HasPrefix(f.Function, "std::") || strings.HasPrefix(f.Function, "__")
}

// global names an object that is a global variable or a part of one.
func (r *reader) global(o object) (string, bool) {
	name, offset, ok := r.inspector.Program.Variable(o.addr)
	if !ok {
		return "", false
	}
	v, err := values.Global(r.ctx, r.inspector.Program, name, r.inspector.Target.Memory(), dwarfregs.Registers{})
	if start, inMemory := v.Address(); err == nil && inMemory && start == o.addr-offset {
		if path, ok := descend(v, name, o); ok {
			return path, true
		}
	}
	if offset != 0 {
		name += fmt.Sprintf("+%#x", offset)
	}
	return name, true
}

// reach names an object that a variable is, has as a part, or points to.
func reach(v values.Object, o object) (string, bool) {
	if path, ok := descend(v, v.Name, o); ok {
		return path, true
	}
	target, arrow, ok := pointee(v)
	if !ok {
		return "", false
	}
	path, ok := descend(target, "", o)
	switch {
	case path != "":
	case arrow == ".": // a reference
		return v.Name, ok
	default:
		return "*" + v.Name, ok
	}
	return v.Name + arrow + strings.TrimPrefix(path, "."), ok
}

// pointee returns what a pointer points to, and the operator for its members.
func pointee(v values.Object) (target values.Object, arrow string, ok bool) {
	arrow = "->"
	switch v.Type.Strip().Kind {
	case types.KindPointer:
	case types.KindReference, types.KindRvalueReference:
		arrow = "."
	default:
		return target, "", false
	}
	if l := v.Type.Strip().Lang; l == lang.Go || l == lang.Rust {
		arrow = "."
	}
	target, err := v.Deref()
	return target, arrow, err == nil
}

// pointing returns the path to the part of a variable, or of what it points to, that is a
// pointer to an address.
func pointing(v values.Object, path string, addr uint64, depth int) (string, bool) {
	const maxDepth = 3
	if depth == maxDepth {
		return "", false
	}
	if n, err := v.Uint(); err == nil && n == addr {
		return path, true
	}
	if target, arrow, ok := pointee(v); ok {
		return pointingMember(target, path+arrow, addr, depth)
	}
	return pointingMember(v, path+".", addr, depth)
}

func pointingMember(v values.Object, prefix string, addr uint64, depth int) (string, bool) {
	t := v.Type.Strip()
	if t.Kind != types.KindStruct && t.Kind != types.KindClass {
		return "", false
	}
	for _, f := range t.Fields() {
		if path, ok := pointing(v.Field(&f), prefix+f.Name, addr, depth+1); ok {
			return path, true
		}
	}
	return "", false
}

// maxParts bounds how deep an object is in a variable.
const maxParts = 8

// descend returns the path to the part of a variable that an object is: the largest part
// that begins there and is no larger than it.
func descend(v values.Object, path string, o object) (string, bool) {
	for range maxParts {
		start, ok := v.Address()
		size, err := v.Extent()
		if !ok || err != nil || o.addr < start || o.addr >= start+uint64(size) {
			return "", false
		}
		if start == o.addr && size <= max(o.size, 1) {
			return public(path), true
		}
		var name string
		if v, name, ok = v.PartAt(o.addr); !ok {
			return "", false
		}
		path += name
	}
	return "", false
}

// public returns a path without the members that libraries of C and C++ keep to themselves.
func public(path string) string {
	for _, own := range []string{".__", "._M_"} {
		path, _, _ = strings.Cut(path, own)
	}
	return path
}

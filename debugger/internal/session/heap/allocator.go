package heap

import (
	"context"
	"encoding/binary"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
)

// An allocator function, by what it does with its arguments.
type function struct {
	size   func(r *ptrace.Regs) uint64 // that is allocated; nil if it only frees
	frees  bool                        // its first argument
	stored bool                        // the result is stored at the address in the first argument
}

func first(r *ptrace.Regs) uint64    { return r.RDI }
func second(r *ptrace.Regs) uint64   { return r.RSI }
func third(r *ptrace.Regs) uint64    { return r.RDX }
func product(r *ptrace.Regs) uint64  { return r.RDI * r.RSI }
func products(r *ptrace.Regs) uint64 { return r.RSI * r.RDX }
func fourth(r *ptrace.Regs) uint64   { return r.RCX }
func inGo(r *ptrace.Regs) uint64     { return r.RAX } // ABIInternal of Go

// functions has the functions of allocators by the linker's names. The allocator of a Rust
// program is below them, unless it has one of its own.
var functions = map[string]function{
	"malloc": {size: first}, "calloc": {size: product}, "valloc": {size: first}, "pvalloc": {size: first},
	"aligned_alloc": {size: second}, "memalign": {size: second}, "posix_memalign": {size: third, stored: true},
	"realloc": {size: second, frees: true}, "reallocarray": {size: products, frees: true},
	"free": {frees: true}, "cfree": {frees: true}, "free_sized": {frees: true}, "free_aligned_sized": {frees: true},

	"__rg_alloc": {size: first}, "__rg_alloc_zeroed": {size: first}, "__rg_dealloc": {frees: true}, "__rg_realloc": {size: fourth, frees: true},
}

// operators has those of C++ that allocate and free. Libraries make them of malloc and free,
// programs of anything.
var operators = map[string]function{
	"_Znwm": {size: first}, "_Znam": {size: first}, "_ZnwmRKSt9nothrow_t": {size: first}, "_ZnamRKSt9nothrow_t": {size: first},
	"_ZnwmSt11align_val_t": {size: first}, "_ZnamSt11align_val_t": {size: first},
	"_ZdlPv": {frees: true}, "_ZdaPv": {frees: true}, "_ZdlPvm": {frees: true}, "_ZdaPvm": {frees: true},
	"_ZdlPvSt11align_val_t": {frees: true}, "_ZdlPvmSt11align_val_t": {frees: true},
}

// goAllocate begins the names of the functions of Go's runtime that allocate: some versions
// have one for each size.
const goAllocate = "runtime.mallocgc"

// allocators returns the functions of the target's allocators by their addresses, with the
// names that they are shown with.
func allocators(ctx context.Context, s *stepping.Stepper) (map[uint64]function, error) {
	found := map[uint64]function{}
	for name, f := range functions {
		for _, addr := range s.Inspector.Program.Symbols(name, nil) {
			found[addr] = f
		}
	}
	for name, f := range operators {
		for _, addr := range s.Inspector.Program.Symbols(name, nil) {
			if im := s.Inspector.Program.Image(addr); im != nil && !strings.Contains(im.Path, "/libstdc++") && !strings.Contains(im.Path, "/libc++") {
				found[addr] = f
			}
		}
	}
	if !s.Inspector.IsGo() {
		return found, nil
	}
	err := s.Inspector.Program.Names(ctx, func(name string) bool { return strings.HasPrefix(name, goAllocate) }, func(n symbols.Name) {
		if n.Kind == symbols.KindFunction && n.Addr != 0 {
			found[n.Addr] = function{size: inGo}
		}
	})
	return found, err
}

// word reads 8 bytes of a view, 0 if they cannot be read.
func word(v *history.View, addr uint64) uint64 {
	var b [8]byte
	if n, _ := v.ReadMemory(addr, b[:]); n < len(b) {
		return 0
	}
	return binary.LittleEndian.Uint64(b[:])
}

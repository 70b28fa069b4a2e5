// Package expr parses and evaluates the expressions and conditions that users
// write to inspect a stopped program, in a small language that serves C, C++, Go
// and Rust alike.
//
//	e, err := expr.Parse("count > 3 && p->next != 0")
//	if err != nil {
//		return err // *expr.SyntaxError
//	}
//	value, err := e.Eval(ctx, scope)
//	hit, err := value.Bool()
//
// An expression consists of names of variables, functions and enumerators;
// decimal, hexadecimal, octal and binary numbers; characters; strings ("name");
// registers ($rip); members (. and ->); elements of arrays and containers by
// index, and of maps by key; slices (a[64:128], p[0:10], name[:8]); objects next to each
// other (*p@10, as in GDB); * and &; C's operators except assignment and the
// comma; sizeof of expressions and types; len and cap; and casts in the syntax of
// C, Go or Rust. v.size(), v.length(), v.len(), v.empty() and v.is_empty() are
// other spellings of len. An expression of Parse never calls a function of the
// program and never changes anything; one of ParseCalls may call functions if its Scope is
// a [Caller].
//
// # Types
//
// Variables have the types of the program. Arithmetic follows the rules of C:
// small integers are promoted to int, and the larger or unsigned type wins. In
// Go, int has the width of a register. A comparison is a bool; in C it is an int.
//
// # Pointers
//
// Smart pointers are dereferenced as in their languages: *p and p->x for
// unique_ptr, shared_ptr and optional in C++, *p and p.x for Box, Rc and Arc in
// Rust. Smart pointers of C++ can be compared with other pointers and with
// nullptr.
//
// # Strings
//
// Strings are compared byte by byte with ==, !=, <, <=, > and >=: string
// literals, Go strings, str and String of Rust, std::string and std::string_view
// of C++. If one side is such a string, the other may be a C string, that is, a
// pointer to characters or an array of them, which ends at its zero byte: name ==
// "bob" compares as strcmp does. Two pointers are compared by address, as in C.
//
// # Limits
//
// An expression has at most [MaxLength] bytes and nests at most [MaxDepth] levels
// deep. There are no loops, so the time of an evaluation is bounded by the length
// of the expression.
//
// # Concurrency
//
// An [Expr] is immutable and may be evaluated by several goroutines.
package expr

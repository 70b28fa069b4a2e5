// Package expr is the small language of conditions and expressions: what a
// person writes to look at a stopped program, whatever its language.
//
//	e, err := expr.Parse("count > 3 && p->next != 0")
//	if err != nil {
//		return err // *expr.SyntaxError
//	}
//	value, err := e.Eval(ctx, scope)
//	hit, err := value.Bool()
//
// There are names of variables, functions and enumerators, numbers in decimal,
// hexadecimal, octal and binary, characters, texts ("name"), registers ($rip),
// members (. and ->), elements of arrays and containers by their indices and of
// maps by their keys, *, &, the operators of C but assignment and the comma,
// sizeof of expressions and types, len and cap of what has elements, and casts as
// C, Go and Rust write them. v.size(), v.length(), v.len(), v.empty() and
// v.is_empty() are other ways to write len. Nothing is called and nothing is
// changed.
//
// # Types
//
// Variables have the types of the program. Numbers are computed with the rules
// of C: small integers become int, and the larger or unsigned type wins. In Go
// int is as wide as a register. A comparison is a bool, in C an int.
//
// # Pointers
//
// Smart pointers stand for what they point to, as in their languages: *p and
// p->x for unique_ptr, shared_ptr and optional of C++, *p and p.x for Box, Rc and
// Arc of Rust. C++'s compare with other pointers and with nullptr.
//
// # Texts
//
// Texts compare byte by byte with ==, !=, <, <=, > and >=: what was written in
// quotation marks, strings of Go, str and String of Rust, std::string and
// std::string_view of C++. Where one side is such a text the other one may be C's,
// a pointer to characters or an array of them, which then counts up to its zero
// byte: name == "bob" compares as strcmp does. Two pointers are compared as C does, by
// where they point to.
//
// # Limits
//
// A text has at most [MaxLength] bytes and its parts nest at most [MaxDepth]
// deep; there are no loops, so an evaluation is as short as its text.
//
// # Concurrency
//
// An [Expr] is immutable and may be evaluated from any goroutine.
package expr

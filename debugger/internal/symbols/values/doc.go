// Package values reads variables of a stopped program and writes them the way
// their language does.
//
// An [Object] is a typed place: a variable, a member, an element. It may lie in
// memory, in registers, in several pieces of both, or nowhere. [Object.Value] makes
// it readable within [Limits]. A [View] is the context of reading: memory,
// registers, the image and, for local variables, the call.
//
//	o, err := values.Global(ctx, program, "table", memory, regs)
//	elem, err := o.Index(3)
//	fmt.Println(elem.Value(values.DefaultLimits))
//
// # Where things are
//
// Files begin with the language they are about:
//
//   - rust.go: enums, strings, vectors, references
//   - cpp.go: the table of types of libstdc++ and libc++ that have printers;
//     cpp_nodes.go: maps, sets and lists; cpp_index.go: what has elements by
//     index; cpp_map.go: looking up a key; cpp_libcxx.go: libc++
//   - go_types.go: strings, slices, interfaces, channels, functions; go_map.go: maps
//     since Go 1.24, go_map_buckets.go: those before
//   - render.go: what all languages share, and plain C
//   - mapkey.go, length.go, smartpointer.go, text.go: what expressions ask about
//     containers, in all languages
//
// # Values that are not there
//
// Values that the compiler optimized out, that were not saved or that cannot be read
// are reported ([ErrOptimizedOut], [ErrUnavailable], or in angle brackets in a text)
// and never guessed. A container that is not laid out as expected is shown member
// by member.
//
// # Concurrency
//
// Objects do not change and may be used from several goroutines. They read memory
// when they are asked, and are good until the program runs on.
package values

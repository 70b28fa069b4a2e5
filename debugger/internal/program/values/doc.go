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
// Names of files begin with a language:
//
//   - rust.go: enums, references; rust_recipes.go: the table of types of its library;
//     rust_tables.go: HashMap, HashSet; rust_btree.go: BTreeMap, BTreeSet;
//     rust_counted.go: Rc, Arc; rust_trait.go: trait objects
//   - cpp.go: the table of types of libstdc++ and libc++; cpp_nodes.go: maps, sets and
//     lists; cpp_index.go: deque, vector<bool> and others with indices; cpp_mapkey.go:
//     looking up a key; cpp_variant.go, cpp_function.go, cpp_bitset.go, cpp_wide.go:
//     what their names say; cpp_class.go: the class behind a pointer to a base;
//     cpp_libcxx.go: strings of libc++
//   - go_types.go: strings, slices, interfaces, channels, functions; go_map.go: maps
//     since Go 1.24; go_map_buckets.go: older maps
//
// All languages share the rest: layout.go has the tables of contiguous containers and
// strings, recipe.go what the tables of types consist of, render.go the writing of
// values and plain C; object.go, member.go, number.go and read.go read memory; mapkey.go,
// length.go, smartpointer.go and text.go are for the evaluation of expressions.
//
// # Values that are not there
//
// Values that the compiler optimized out, that were not saved or that cannot be read
// are reported ([ErrOptimizedOut], [ErrUnavailable], or in angle brackets in a text)
// and never guessed. A container that is not laid out as expected is shown member
// by member.
//
// # Concurrency
// Objects are immutable and may be used from several goroutines. They read
// memory when their methods are called, and are valid until the program
// continues.
package values

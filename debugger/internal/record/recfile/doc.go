// Package recfile is the file format of recordings: the first state of a program and its inputs, as
// events.
//
//	out, err := recfile.NewWriter(file)
//	err = out.Add(&event)
//	err = out.Close()
//
//	r, err := recfile.Read(file, nil)
//	for n := range r.Len() {
//		event := r.Event(n)
//		…
//	}
//
// A [Writer] writes events as they happen, to a file that has everything up to the last flush,
// or to a [Ring], which keeps the newest part. A [Recording] has the events in memory, encoded, and
// decodes one at a time. The recordings of a debugger are in a [Store], in frames of which the one
// that is read is in memory. [Pack] adds the files that a replay needs.
//
// # File format
//
// A file is "TRIPTYCH RECORDING\n", the version in two bytes, and a zstd stream of
// blocks: a tag, the length of the payload as an unsigned varint, the payload. Block X
// lists the extensions of the processor's instruction set, F is an entry of the table of
// files, E an event, C a piece of the contents of a file of the table, Z the end. A
// [Ring] has blocks S, each followed by an Image that a replay begins with if nothing is
// before it, and otherwise leaves out; the table of files starts over there. A file that ends early has
// everything up to the last flush of its writer. Numbers are varints. See encode.go for
// the fields.
//
// # Files of others
//
// Everything that comes from a file is checked before it is used: sizes, counts, positions, and
// what a replay would do. The memory for it is taken from a budget before it is allocated.
package recfile

// Package waits reports what the threads and goroutines of a target wait for, and which
// thread must act first.
//
//	all := waits.Threads(ctx, inspector)
//	for _, line := range waits.Cycles(all) {
//		fmt.Println(line)
//	}
//
// It reads registers, memory and stacks at the position that the view of the target shows,
// so that it works in live processes, recordings and core files alike. Only the files
// behind descriptors are asked of the kernel, and only at the present of a process.
//
// # What is known
//
// That a thread waits is known from its registers: it stands behind a system call that
// the kernel would restart, or, in a recording, at one that has not returned. What the
// word of a futex belongs to is known from the functions on the stack. Who holds it is known
// where the library writes it down: glibc's mutexes and write locks have the thread's id, those
// of musl only if they are recursive or check for errors, those of Rust and Go never. A
// holder that is not known is never guessed.
package waits

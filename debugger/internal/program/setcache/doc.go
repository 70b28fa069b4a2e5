// Package setcache shares the types and debug information of files among the programs
// that have them mapped, so that a second session of a program, or the same libc in
// another program, need not read them again.
//
//	set, release := cache.Acquire(file, program, func() *types.Set { … })
//	defer release()
//
// A file is known by its stamp: device, inode, size and times. A file that changed
// within the last two seconds, and one without an inode, is not shared. What was read
// from a file thus never describes another one. A build id would not do as a key, since
// a program may claim that of another.
//
// Sets that no program uses are dropped after a while, and earlier if they are large:
// a server at rest holds none.
//
// # Concurrency
//
// A Cache may be used from several goroutines at once. A set is read once; others
// that need it wait. Cache.mu is not held while a file is read, and no other lock is
// taken under it.
package setcache

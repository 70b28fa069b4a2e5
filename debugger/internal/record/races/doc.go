// Package races finds accesses to the same memory by two threads without an order between them.
//
//	d := races.New(races.Options{})
//	err := h.Accesses(ctx, from, to, d.Add)
//	for _, r := range d.Races() {
//		fmt.Println(r.Before.Position, r.After.Position)
//	}
//
// # Order
//
// Accesses are ordered by the order of a thread's instructions and by these pairs of a release and an
// acquire: all that was before the release is before all that follows the acquire (vector clocks):
//
//   - instructions that read and write at once (with a lock prefix, xchg), which are both, at one
//     address. An address that was used so is one of synchronization from then on: writes to it are
//     releases, and reads acquires;
//   - futex system calls: to wake is a release, to have waited an acquire;
//   - the start of a thread, and its end, where the kernel clears the thread's id;
//   - to write to a pipe, a pair of sockets, or an eventfd, and to read from it;
//   - to send a signal to a thread, and its delivery.
//
// What the window does not have needs no order: only accesses in it are compared.
//
// # What is not known
//
// A write that is ordered by its address alone, as the processor orders all writes, looks like one
// that is not: an atomic store or load that needs no lock prefix. Options.Ordered names the
// instructions that are known to be such. And what is in order by chance, as by the lock of an
// allocator that both threads have used, is no race here.
//
// # Concurrency
//
// A Detector must be used by one goroutine at a time.
package races

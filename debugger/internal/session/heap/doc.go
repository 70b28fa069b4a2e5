// Package heap finds the block of the heap that an address is in, in the recorded history
// of a target: which call has allocated it, and which has freed it.
//
//	found, err := heap.Find(ctx, stepper, 0x55d0c8)
//	if found.Block != nil && found.Block.Freed != nil {
//		fmt.Println("freed at position", found.Block.Freed.Position)
//	}
//
// # How blocks are found
//
// Two passes go through the history, which stop at some instructions only
// (history.History.Visit). The first one stops at the starts of the functions of allocators,
// by their names: it remembers the sizes, the pointers that are freed and the return addresses.
// The second one stops at these return addresses, where the results are. The program needs no
// preparation, and the allocator no debug information.
//
// The history remembers the calls, in stretches of which each is twice as long as the one after
// it, so that the next question reads none again.
//
// Of the blocks that have held the address, the one allocated last counts; of blocks in each
// other, as in the pool of a user's own operator new, the smallest; of calls with the same
// result, as operator new and malloc, the outermost.
//
// # What is not known
//
// A block that was allocated before the history begins is known only if it is freed in it, by
// glibc's header before the block. The garbage collector of Go frees blocks without a call.
// Where the process ran by itself no calls are recorded.
//
// # Concurrency
//
// Find uses the stepper, and moves and restores its position. It must be called by the
// goroutine that owns it.
package heap

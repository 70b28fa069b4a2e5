package translate

import "encoding/binary"

// The memory before the code of an arena: the tables of targets, which the process must
// be able to read, and the context, which it must be able to write. All arenas may have
// the same tables and context, mapped at several addresses.
//
// They are addressed relative to the instruction pointer, which processors forward
// from stores to loads in less time than through a segment register.
const (
	// ContextSize is the size of a context in bytes, one page.
	ContextSize = 1 << 12
	// TargetsSize is the size of the tables of targets in bytes.
	TargetsSize = arrivalOffset + ArrivalsSize
	// ArrivalsSize is the size of the last of them, which the process must be able to write.
	ArrivalsSize = arrivals * 8
)

// Offsets in a context.
const (
	contextTarget = 8
	contextExit   = 16
	contextFlags  = 24
	contextFound  = 32 // where a search continues
	contextNone   = 40 // if there is no translation
	contextGPR    = 64 // 16 registers that a block has saved

	// Of system calls without a stop, see buffer.go.
	contextBuffered  = 192 // not 0: calls may be made like that
	contextMayWait   = 200 // not 0: those may wait
	contextLeave     = 208 // not 0: no call is made, the thread is to leave the cache
	contextRecord    = 216 // address of the next record in the buffer
	contextRecordEnd = 224 // end of the buffer
	contextRule      = 232 // address of the rule of the current call
	contextPoll      = 240 // struct pollfd
	contextSite      = 248 // address of the block's record of the call
	contextNext      = 256 // address behind the current call
	contextReturns   = 264 // where the cache continues behind it

	// Of futexes, see waiter.go.
	contextWaiters    = 272 // address of the waiters
	contextWaitersEnd = 280 // end of those that are in use
	contextCurrent    = 288 // address of the waiter of the thread that has the turn, or 0
	contextSince      = 296 // number of waits
	contextWoken      = 304 // thread that the current call wakes
	contextReturned   = 312 // thread that has got the turn by the end of the current call

	contextGuard   = 320 // a Guard
	contextGuarded = 328 // set of descriptors, see guard.go

	// Of logs, see log.go.
	contextLogNext = 448 // address of the next entry
	contextLogRoom = 456 // number of entries for which there is room

	contextLeft  = 512                      // of all counters, see left.go
	contextGiven = contextLeft + 8*counters // what SetLeft has stored
)

// The tables of targets map addresses of the program to translations. The first table has one
// place for an address, by its low 16 bits: the negated address and the translation. The second
// has all addresses, in a hash table with linear probing: the address, the translation, and where
// jumps to it arrive. The third has, by the low 16 bits of an address, where the last jump to such
// an address has arrived, see arrival.go.
const (
	firstEntries  = 1 << 16
	secondBits    = 17
	secondEntries = 1 << secondBits
	secondOffset  = firstEntries * 16
	secondSize    = 3 * 8 // of an entry

	arrivals      = 1 << 16
	arrivalOffset = secondOffset + secondEntries*secondSize

	// The place of an address in the second table is given by its low 32 bits.
	hashFactor = 0x9e3779b1
	hashShift  = 32 - secondBits
)

// MaxTargets is the number of addresses that [Targets] should hold at most.
const MaxTargets = secondEntries / 2

// A Context is our view of a context. Its methods may
// be called while the process is stopped.
type Context []byte

// Target returns the address at which the process continues after an exit if there is no tracer.
func (c Context) Target() uint64 { return binary.LittleEndian.Uint64(c[contextTarget:]) }

// Exit returns the number of the exit that the process has reached.
func (c Context) Exit() uint32 { return binary.LittleEndian.Uint32(c[contextExit:]) }

// Saved returns the saved value of a general register.
func (c Context) Saved(register int) uint64 {
	return binary.LittleEndian.Uint64(c[contextGPR+8*register:])
}

// SetBuffered permits or forbids that the process makes system calls without a stop.
func (c Context) SetBuffered(buffered bool) { c.setBool(contextBuffered, buffered) }

// SetRecords makes the process record such calls between two addresses, or make none if there is
// no room.
func (c Context) SetRecords(start, end uint64) {
	c.set(contextRecord, start)
	c.set(contextRecordEnd, end)
}

// StopsNext reports whether the process has no room for records because it has opened a file below
// /proc.
func (c Context) StopsNext() bool {
	return c.Recorded() != 0 && binary.LittleEndian.Uint64(c[contextRecordEnd:]) == 0
}

// Recorded returns the address behind the last record.
func (c Context) Recorded() uint64 { return binary.LittleEndian.Uint64(c[contextRecord:]) }

// SetMayWait permits or forbids that such calls wait.
func (c Context) SetMayWait(may bool) { c.setBool(contextMayWait, may) }

// SetLeave makes the thread leave the cache instead of making such calls, or not.
func (c Context) SetLeave(leave bool) { c.setBool(contextLeave, leave) }

// SetWaiters says where the waiters are that are in use.
func (c Context) SetWaiters(start, end uint64) {
	c.set(contextWaiters, start)
	c.set(contextWaitersEnd, end)
}

// SetCurrent sets the address of the waiter of the thread that has the turn, or 0: that
// thread stops if it would wait for a futex.
func (c Context) SetCurrent(waiter uint64) { c.set(contextCurrent, waiter) }

// NextSince returns a number that is larger than those of all waiters.
func (c Context) NextSince() uint64 {
	since := binary.LittleEndian.Uint64(c[contextSince:]) + 1
	c.set(contextSince, since)
	return since
}

// Site returns the address of the block's record of the last call: the first word is the
// address of the instruction behind it.
func (c Context) Site() uint64 { return binary.LittleEndian.Uint64(c[contextSite:]) }

func (c Context) set(offset int, value uint64) { binary.LittleEndian.PutUint64(c[offset:], value) }

func (c Context) setBool(offset int, value bool) {
	c[offset] = 0
	if value {
		c[offset] = 1
	}
}

// Targets is our view of the tables of targets. Its methods may be called while the
// process is stopped.
type Targets []byte

// Begin prepares targets that are zero. Stubs is the address of the result of [Stubs] in any of
// the arenas.
func (t Targets) Begin(stubs uint64) {
	for at := arrivalOffset; at < len(t); at += 8 {
		binary.LittleEndian.PutUint64(t[at:], stubs+stubArrival)
	}
}

// Clear removes all targets.
func (t Targets) Clear(stubs uint64) {
	clear(t[:arrivalOffset])
	t.Begin(stubs)
}

// Put adds a target to which a jump has led, with its arrival. The translation of an address must
// not change before Clear.
func (t Targets) Put(pc, translation, arrival uint64) {
	binary.LittleEndian.PutUint64(t[arrivalOffset+pc%arrivals*8:], arrival)
	first := t[pc%firstEntries*16:]
	binary.LittleEndian.PutUint64(first, -pc)
	binary.LittleEndian.PutUint64(first[8:], translation)
	t.putSecond(pc, translation, arrival)
}

// Expect adds a target to which returns will lead. It replaces no other in the table of arrivals.
func (t Targets) Expect(pc, translation, arrival, stubs uint64) {
	place := t[arrivalOffset+pc%arrivals*8:]
	if binary.LittleEndian.Uint64(place) == stubs+stubArrival {
		binary.LittleEndian.PutUint64(place, arrival)
	}
	t.putSecond(pc, translation, arrival)
}

// putSecond adds a target to the second table, unless it is the key of empty entries.
func (t Targets) putSecond(pc, translation, arrival uint64) {
	if pc == 0 {
		return
	}
	for hash := uint32(pc) * hashFactor >> hashShift; ; hash = (hash + 1) % secondEntries {
		entry := t[secondOffset+hash*secondSize:]
		if key := binary.LittleEndian.Uint64(entry); key == 0 || key == pc {
			binary.LittleEndian.PutUint64(entry, pc)
			binary.LittleEndian.PutUint64(entry[8:], translation)
			binary.LittleEndian.PutUint64(entry[16:], arrival)
			return
		}
	}
}

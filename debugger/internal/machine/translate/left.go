package translate

import "encoding/binary"

// The number of instructions that are left is the sum of several counters in the context,
// which blocks use by turns: a processor needs some six cycles to subtract from a word in
// memory that has just been stored, and starts the next subtraction only then.
const counters = 4

// counterField returns the offset of a counter in the context.
func counterField(counter uint8) uint64 { return contextLeft + 8*uint64(counter) }

// leavingBias is subtracted from all counters to make a thread leave the cache. It is larger
// than any number of instructions, and a power of two.
const leavingBias = 1 << 58

// MaxLeft is the largest number of instructions that can be counted.
const MaxLeft = 1 << 55

// word returns a word of the context.
func (c Context) word(at int) int64 { return int64(binary.LittleEndian.Uint64(c[at:])) }

func (c Context) setWord(at int, v int64) { binary.LittleEndian.PutUint64(c[at:], uint64(v)) }

// withoutBias returns a counter, or a sum of counters, as if Leave had not been called.
func withoutBias(v int64) int64 {
	return (v+leavingBias/2)&(leavingBias-1) - leavingBias/2
}

// counter returns a counter as if Leave had not been called.
func (c Context) counter(n int) int64 { return withoutBias(c.word(contextLeft + 8*n)) }

// Left returns the number of instructions that may be executed.
func (c Context) Left() int64 {
	left := int64(Reserve)
	for n := range counters {
		left += c.counter(n)
	}
	return left
}

// SetLeft sets the number of instructions, and undoes Leave. It distributes the number like
// the instructions that were counted since the last call: what is counted next is most often
// the same code.
func (c Context) SetLeft(left int64) {
	var weights [counters]int64
	sum := int64(0)
	for n := range counters {
		weights[n] = max(0, c.word(contextGiven+8*n)-c.counter(n)) >> 8
		sum += weights[n]
	}
	rest := left - Reserve
	unit := max(0, rest) / (sum + counters*(sum/32+1)) // of an instruction that was counted before
	for n := range counters {
		v := unit * (weights[n] + sum/32 + 1)
		if n == counters-1 {
			v = rest
		}
		rest -= v
		c.setWord(contextLeft+8*n, v)
		c.setWord(contextGiven+8*n, v)
	}
}

// Ensure moves as many of the instructions that are left to a counter as a block may count
// before it checks them, so that a block that was left because of this counter can begin.
func (c Context) Ensure(counter uint8) {
	at := contextLeft + 8*int(counter)
	for n := range counters {
		missing, other := maxInstructions-c.word(at), contextLeft+8*n
		if taken := min(missing, c.word(other)); other != at && taken > 0 {
			c.setWord(other, c.word(other)-taken)
			c.setWord(at, c.word(at)+taken)
		}
	}
}

// Leave makes a thread leave the cache after the current block. Left stays the same.
func (c Context) Leave() {
	for n := range counters {
		if v := c.word(contextLeft + 8*n); v >= -leavingBias/2 {
			c.setWord(contextLeft+8*n, v-leavingBias)
		}
	}
}

// LeaveInRCX is Leave for the register rcx of a thread that CountsInRCX.
func LeaveInRCX(rcx uint64) uint64 { return rcx - leavingBias }

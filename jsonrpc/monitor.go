package jsonrpc

import "time"

// beginTurn starts something that may take long, and wakes the monitor for it. j is the
// job that runs, nil for a write. endTurn must follow with the result.
func (c *Conn) beginTurn(j *job) (turn uint64) {
	c.inTurn = j
	turn = c.turn.Add(1)
	if c.monitorParked.Load() {
		select {
		case c.wakeMonitor <- struct{}{}:
		default: // it is waking already
		}
	}
	return turn
}

// endTurn ends what beginTurn began and reports whether the reading role is still ours:
// it is not when the monitor has changed the turn first.
func (c *Conn) endTurn(turn uint64) bool { return c.turn.CompareAndSwap(turn, turn+1) }

// tick is the longest time that a handler keeps the reading role.
const tick = 500 * time.Microsecond

// idleTicks is after how many quiet ticks the monitor parks.
const idleTicks = 20

// monitor takes the reading role from handlers that run longer than a tick. It runs on a
// goroutine of its own until Serve returns, and sleeps without a timer while nothing
// runs, so that an idle connection costs nothing.
func (c *Conn) monitor() {
	timer := time.NewTimer(tick)
	defer timer.Stop()
	for idle := 0; ; {
		seen := c.turn.Load()
		timer.Reset(tick)
		select {
		case <-c.returned:
			return
		case <-timer.C:
		}
		switch {
		case seen != c.turn.Load():
			idle = 0
		case seen%2 == 1:
			c.handOff(seen)
		default:
			idle++
		}
		if idle > idleTicks && !c.park(seen) {
			return
		}
		if idle > idleTicks {
			idle = 0
		}
	}
}

// park waits until a handler runs; it reports false when the connection is over. The turn
// is compared after the flag is set, and beginTurn looks at the flag after it has changed
// the turn: one of the two notices.
func (c *Conn) park(seen uint64) bool {
	c.monitorParked.Store(true)
	defer c.monitorParked.Store(false)
	if c.turn.Load() != seen {
		return true
	}
	select {
	case <-c.wakeMonitor:
		return true
	case <-c.returned:
		return false
	}
}

// handOff takes the reading role from the handler or the write of that turn, if
// it still has it, and starts a new reader. A handler keeps the memory of its
// line. What has gathered is the new reader's to write: the monitor never blocks.
func (c *Conn) handOff(turn uint64) {
	if !c.scheduler.adopt(turn) {
		return
	}
	if c.inTurn != nil { // else it is a write, which has memory of its own
		c.lines.detach()
		c.scratch = nil // the handler is still writing to it
	}
	go c.read()
}

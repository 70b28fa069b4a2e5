package connlimit

import (
	"container/list"
	"net"
	"net/netip"
	"sync"
	"time"
)

// Limits bound the connections of a listener. A zero number is no limit.
type Limits struct {
	Total   int // at one time
	Address int // from one IPv4 address, or one IPv6 network of 64 bits
	// Exempt reports addresses without a limit of their own, such as a proxy's;
	// nil exempts none.
	Exempt func(netip.Addr) bool
}

// A Usage is the state of a listener.
type Usage struct {
	Open, Limit int
	Strangers   int   // open connections that have shown no good key
	Closed      int64 // idle connections that were closed to make room
	Refused     int64 // new connections that were closed
}

// A Listener accepts connections within limits. Make one with [Listen].
type Listener struct {
	net.Listener
	limits Limits
	began  time.Time

	mu        sync.Mutex
	room      sync.Cond // signaled when a connection ends, or may have become idle
	closed    bool
	open      map[*Conn]struct{}
	of        map[netip.Prefix]*source
	strangers list.List // of *Conn, oldest first
	evicted   int64
	refused   int64
}

// A source counts the connections of one network.
type source struct {
	open      int
	strangers list.List // of *Conn, oldest first
}

// Listen returns a listener that accepts from inner.
func Listen(inner net.Listener, limits Limits) *Listener {
	l := &Listener{Listener: inner, limits: limits, began: time.Now(), open: map[*Conn]struct{}{}, of: map[netip.Prefix]*source{}}
	l.room.L = &l.mu
	return l
}

// Accept waits for a connection for which there is room.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		inner, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c := &Conn{Conn: inner, listener: l, from: l.networkOf(inner)}
		switch l.admit(c) {
		case admitted:
			return c, nil
		case refused:
			_ = inner.Close() // nothing was promised
		case ended:
			_ = inner.Close() // likewise
			return nil, net.ErrClosed
		}
	}
}

// Close closes the listener. Connections stay open.
func (l *Listener) Close() error {
	l.mu.Lock()
	l.closed = true
	l.room.Broadcast()
	l.mu.Unlock()
	return l.Listener.Close()
}

// networkOf returns the network that a connection counts for; the zero prefix
// counts for none.
func (l *Listener) networkOf(inner net.Conn) netip.Prefix {
	peer, err := netip.ParseAddrPort(inner.RemoteAddr().String())
	if err != nil || l.limits.Exempt != nil && l.limits.Exempt(peer.Addr().Unmap()) {
		return netip.Prefix{}
	}
	return Network(peer.Addr())
}

// Network returns the network that stands for one client: an IPv4 address, or the
// 64 bits that IPv6 gives everybody.
func Network(addr netip.Addr) netip.Prefix {
	addr = addr.Unmap().WithZone("")
	bits := addr.BitLen()
	if addr.Is6() {
		bits = 64
	}
	p, _ := addr.Prefix(bits) // the zero address gives the zero prefix
	return p
}

// A verdict decides about a new connection.
type verdict int

const (
	admitted verdict = iota
	refused
	ended // the listener is closed
)

// admit makes room for a connection and counts it.
func (l *Listener) admit(c *Conn) verdict {
	var victims []*Conn
	defer func() {
		for _, v := range victims {
			_ = v.Conn.Close() // it was idle
		}
	}()
	l.mu.Lock()
	defer l.mu.Unlock()
	if from := l.of[c.from]; from != nil && l.limits.Address > 0 && c.from.IsValid() && from.open >= l.limits.Address {
		v := l.idleLocked(&from.strangers, func(o *Conn) bool { return o.from == c.from })
		if v == nil {
			l.refused++
			return refused
		}
		victims = append(victims, l.evictLocked(v))
	}
	for l.limits.Total > 0 && len(l.open) >= l.limits.Total && !l.closed {
		if v := l.idleLocked(&l.strangers, func(*Conn) bool { return true }); v != nil {
			victims = append(victims, l.evictLocked(v))
		} else {
			l.waitLocked()
		}
	}
	if l.closed {
		return ended
	}
	l.addLocked(c)
	return admitted
}

// waitLocked waits for a connection to end, at most for flushTime: one that becomes
// idle does not signal, so that requests need no lock.
func (l *Listener) waitLocked() {
	timer := time.AfterFunc(flushTime, func() {
		l.mu.Lock() // the signal must not precede Wait
		defer l.mu.Unlock()
		l.room.Signal()
	})
	defer timer.Stop()
	l.room.Wait()
}

// addLocked counts a connection, as a stranger.
func (l *Listener) addLocked(c *Conn) {
	l.open[c] = struct{}{}
	from := l.of[c.from]
	if from == nil {
		from = &source{}
		l.of[c.from] = from
	}
	from.open++
	c.amongAll, c.amongOwn = l.strangers.PushBack(c), from.strangers.PushBack(c)
}

// idleLocked returns the connection that makes room: the oldest idle one of the
// strangers, else any idle one that fits, else nil.
func (l *Listener) idleLocked(strangers *list.List, fits func(*Conn) bool) *Conn {
	for at := strangers.Front(); at != nil; at = at.Next() {
		if c := at.Value.(*Conn); c.idle() {
			return c
		}
	}
	for c := range l.open {
		if c.idle() && fits(c) {
			return c
		}
	}
	return nil
}

func (l *Listener) evictLocked(c *Conn) *Conn {
	l.evicted++
	l.removeLocked(c)
	return c
}

// removeLocked stops counting a connection.
func (l *Listener) removeLocked(c *Conn) {
	if _, ok := l.open[c]; !ok {
		return
	}
	delete(l.open, c)
	l.knowLocked(c)
	if from := l.of[c.from]; from.open == 1 {
		delete(l.of, c.from)
	} else {
		from.open--
	}
	l.room.Signal()
}

// knowLocked takes a connection off the lists of strangers.
func (l *Listener) knowLocked(c *Conn) {
	if c.amongAll != nil {
		l.strangers.Remove(c.amongAll)
		l.of[c.from].strangers.Remove(c.amongOwn)
		c.amongAll, c.amongOwn = nil, nil
	}
}

// Running returns how many requests are running.
func (l *Listener) Running() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.open {
		n += int(c.running.Load())
	}
	return n
}

// Usage returns the state of the listener.
func (l *Listener) Usage() Usage {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Usage{Open: len(l.open), Limit: l.limits.Total, Strangers: l.strangers.Len(), Closed: l.evicted, Refused: l.refused}
}

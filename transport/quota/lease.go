package quota

import (
	"context"
	"time"
)

const (
	// leaseShare is the smallest part of what is left that a lease is.
	leaseShare = 16
	// leaseIdle is the time after which a lease that was not used is returned.
	leaseIdle = time.Second
	// maxAccounts limits the keys whose counts a process remembers.
	maxAccounts = 20_000
)

// A state is the counts of a key on the server. In one window its numbers only grow, so
// of two states the larger numbers are the later ones; returns are counted by themselves
// for that reason.
type state struct {
	tally           // with what was returned
	back      int64 // of the month
	burstBack int64 // of the minute
}

// net returns the counts without what was returned and what a lease has left.
func (s state) net(rest int64) *tally {
	t := s.tally
	t.used -= s.back + rest
	t.burst -= s.burstBack + rest
	return &t
}

// merge makes the state the later one of itself and another, window by window. Answers of
// the server may come out of order, and a store may have lost its newest writes.
func (s *state) merge(other state) {
	switch {
	case other.monthEnd.After(s.monthEnd):
		s.monthEnd, s.used, s.back = other.monthEnd, other.used, other.back
	case other.monthEnd.Equal(s.monthEnd):
		s.used, s.back = max(s.used, other.used), max(s.back, other.back)
	}
	switch {
	case other.minuteEnd.After(s.minuteEnd):
		s.minuteEnd, s.burst, s.burstBack = other.minuteEnd, other.burst, other.burstBack
	case other.minuteEnd.Equal(s.minuteEnd):
		s.burst, s.burstBack = max(s.burst, other.burst), max(s.burstBack, other.burstBack)
	}
}

// A lease is requests that count as used on the server and may be granted by this process
// until their minute ends. Its zero value grants nothing.
type lease struct {
	n                   int64
	limits              Limits
	monthEnd, minuteEnd time.Time
}

// good reports whether n requests may be granted from the lease.
func (l *lease) good(limits Limits, now time.Time, n int64) bool {
	return l.n >= n && l.limits == limits && now.Before(l.minuteEnd) && now.Before(l.monthEnd)
}

// An account holds the counts of a key as far as a process knows them. The lock of the
// [Valkey] guards it.
type account struct {
	state
	lease   lease
	granted time.Time     // when the lease was last used
	filling chan struct{} // closed when the request is answered that asks for a lease; nil without one
}

// usage returns the usage as far as the process knows.
func (a *account) usage(limits Limits) Usage { return a.net(a.lease.n).usage(limits) }

// unused returns how many requests the lease has left in the minute that ends at a time.
func (a *account) unused(minuteEnd time.Time) int64 {
	if a != nil && a.lease.minuteEnd.Equal(minuteEnd) {
		return a.lease.n
	}
	return 0
}

// takeLeased grants n requests from the lease of a key. If there is none, or too small a
// one, it returns the request that the server must be asked, which [Valkey.Close] waits
// for: the caller runs it and calls jobs.Done. It does not block.
func (v *Valkey) takeLeased(key string, limits Limits, n int64, now time.Time) (Usage, *request, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		return Usage{}, nil, ErrClosed
	}
	a := v.accountLocked(key)
	block := blockOf(limits)
	if a.lease.good(limits, now, n) {
		a.lease.n -= n
		a.granted = time.Now()
		if a.lease.n < block/4 && a.filling == nil {
			// With the rest it makes one block: a crash may cost no more.
			v.fillLocked(key, a, request{now: now, limits: limits, lease: block - a.lease.n, floor: a.state})
		}
		return a.usage(limits), nil, nil
	}
	r := &request{now: now, limits: limits, take: n, floor: a.state, rest: a.lease}
	a.lease = lease{}
	if block > 1 && a.filling == nil {
		r.lease, r.filling = block, make(chan struct{})
		a.filling = r.filling
	}
	v.jobs.Add(1) // the caller's, until it has told the answer
	return Usage{}, r, nil
}

// awaitLease waits for a lease that the server is being asked for, unless the one that
// there is suffices. It reports whether the next takeLeased may find one. Without the
// wait, all calls that find a lease used up would ask the server at once.
func (v *Valkey) awaitLease(ctx context.Context, key string, limits Limits, n int64, now time.Time) bool {
	v.mu.Lock()
	a := v.accounts[key]
	if a == nil || a.lease.good(limits, now, n) || a.filling == nil {
		defer v.mu.Unlock()
		return a != nil && a.lease.n > 0
	}
	filling := a.filling
	v.mu.Unlock()
	select {
	case <-filling: // within valkeyWait
	case <-ctx.Done():
	}
	return true
}

// fillLocked asks for a lease on a goroutine of its own, beside the calls that use the
// one before. The lock is held; the account has no request for a lease.
func (v *Valkey) fillLocked(key string, a *account, r request) {
	r.filling = make(chan struct{})
	a.filling = r.filling
	v.jobs.Go(func() { // ends within valkeyWait
		got, err := v.run(context.Background(), key, r)
		if err != nil {
			got = reply{} // the next call that needs the server tells
		}
		v.give(key, r, got)
	})
}

// give records what the server has answered to a request, wakes those that wait for its
// lease, and returns the usage. A zero reply stands for a failure.
func (v *Valkey) give(key string, r request, got reply) Usage {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.accounts[key] == nil && r.take == 0 && r.lease == 0 {
		return Usage{} // a return of an account that was forgotten since
	}
	a := v.accountLocked(key)
	if r.filling != nil {
		defer close(r.filling)
		a.filling = nil // an account is not forgotten while it has one
	}
	if got.written {
		a.merge(got.state)
	}
	if got.lease > 0 {
		v.addLeaseLocked(key, a, lease{n: got.lease, limits: r.limits, monthEnd: got.monthEnd, minuteEnd: got.minuteEnd})
	}
	return got.net(a.unused(got.minuteEnd)).usage(r.limits)
}

// addLeaseLocked adds a lease to that of an account, or puts it in its place and returns
// the other.
func (v *Valkey) addLeaseLocked(key string, a *account, more lease) {
	old := a.lease
	a.lease, a.granted = more, time.Now()
	switch {
	case old.n == 0:
	case old.limits == more.limits && old.minuteEnd.Equal(more.minuteEnd) && old.monthEnd.Equal(more.monthEnd):
		a.lease.n += old.n
	default:
		v.returnLocked(key, a, old)
	}
	if v.sweeper == nil && !v.closed {
		v.sweeper = time.AfterFunc(v.idle/2, v.sweep)
	}
}

// returnLocked returns what is left of a lease to the server, on a goroutine of its own.
// If the server cannot be reached, the rest counts as used. The caller removes the lease
// from its account.
func (v *Valkey) returnLocked(key string, a *account, rest lease) {
	if rest.n == 0 {
		return
	}
	// The windows of the lease, not those of now: a return begins no window.
	r := request{now: rest.minuteEnd.Add(-1), limits: rest.limits, floor: a.state, rest: rest}
	v.jobs.Go(func() { // ends within valkeyWait
		if got, err := v.run(context.Background(), key, r); err == nil {
			v.give(key, r, got)
		}
	})
}

// sweep is called by a timer. It returns the leases that were not used for a while, and
// forgets the accounts whose month is over. It sets the timer again while there are
// leases.
func (v *Valkey) sweep() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		return // Close returns them
	}
	out := false // another sweep is due
	for key, a := range v.accounts {
		switch {
		case a.lease.n == 0 && a.filling == nil && time.Now().After(a.monthEnd):
			delete(v.accounts, key)
		case a.lease.n == 0:
		case time.Since(a.granted) >= v.idle:
			v.returnLocked(key, a, a.lease)
			a.lease, out = lease{}, true // the next sweep may forget the account
		default:
			out = true
		}
	}
	v.sweeper = nil
	if out {
		v.sweeper = time.AfterFunc(v.idle/2, v.sweep)
	}
}

// accountLocked returns the account of a key, a new one if need be. When there are too
// many, others are forgotten, but none whose lease is being asked for: calls wait for
// that. What was forgotten is read from the server again.
func (v *Valkey) accountLocked(key string) *account {
	if a := v.accounts[key]; a != nil {
		return a
	}
	for other, a := range v.accounts { // in any order
		if len(v.accounts) < v.most {
			break
		}
		if a.filling == nil {
			v.returnLocked(other, a, a.lease)
			delete(v.accounts, other)
		}
	}
	a := new(account)
	v.accounts[key] = a
	return a
}

// Close implements [Meter]: it returns all leases and waits until the server has them, up
// to a time-out. A second call does nothing.
func (v *Valkey) Close() error {
	v.mu.Lock()
	closed := v.closed
	v.closed = true
	if v.sweeper != nil {
		v.sweeper.Stop()
	}
	v.mu.Unlock()
	if closed {
		return nil
	}
	v.jobs.Wait() // for leases that are asked for
	v.mu.Lock()
	for key, a := range v.accounts {
		v.returnLocked(key, a, a.lease)
		a.lease = lease{}
	}
	v.mu.Unlock()
	v.jobs.Wait()
	return nil
}

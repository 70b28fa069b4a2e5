package worktime

import (
	"context"
	"sync"
	"time"
)

// Limits are the times that calls may take; 0 stands for no limit.
type Limits struct {
	Call time.Duration // of a call
	Hour time.Duration // of all calls of a key in an hour
}

// A key that has used up its time has the least time for a call, which a call that does not search
// needs. When its calls have taken more than mostBeyond besides, none may search.
const (
	least      = time.Second
	mostBeyond = time.Minute
)

// Accounts hold how much time the keys have used.
type Accounts struct {
	limits Limits
	now    func() time.Time

	mu   sync.Mutex
	keys map[string]account
}

// An account holds the time that a key has used, as of a moment. There is none for a key that has used
// nothing.
type account struct {
	used     time.Duration
	at       time.Time
	reserved time.Duration // what the works that run now may still use
}

// NewAccounts returns accounts of which nothing is used.
func NewAccounts(limits Limits) *Accounts {
	return &Accounts{limits: limits, now: time.Now, keys: map[string]account{}}
}

// Begin begins a work of a key. A nil Accounts has no limits.
func (a *Accounts) Begin(ctx context.Context, key string) *Work {
	w := &Work{accounts: a, key: key, began: time.Now()}
	inside, cancel := context.WithCancelCause(ctx)
	w.ctx, w.cancel = context.WithValue(inside, contextKey{}, w), cancel
	w.allow()
	w.start()
	return w
}

// allow sets the time that a work may take, and reserves it: what works that run at the same
// time may use is not left for others.
func (w *Work) allow() {
	a := w.accounts
	if a == nil {
		return
	}
	w.allowed = a.limits.Call
	if a.limits.Hour == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	left := a.limits.Hour - a.usedLocked(w.key) - a.keys[w.key].reserved
	w.refused = left < -mostBeyond
	if left = max(least, left); w.allowed == 0 || left < w.allowed {
		w.allowed, w.hour = left, true
	}
	w.reserved = w.allowed
	a.changeLocked(w.key, 0, w.reserved)
}

// used returns how much of its time a key has used.
func (a *Accounts) used(key string) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.usedLocked(key)
}

func (a *Accounts) usedLocked(key string) time.Duration {
	k := a.keys[key]
	forgiven := time.Duration(float64(a.limits.Hour) * a.now().Sub(k.at).Hours())
	return max(0, k.used-max(0, forgiven))
}

// charge adds time to what a key has used, and to what is reserved for it.
func (a *Accounts) charge(key string, used, reserved time.Duration) {
	if a == nil || a.limits.Hour == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.changeLocked(key, used, reserved)
}

// changeLocked does what charge says. A key uses at most twice its time for an hour.
// The accounts of keys whose time is forgiven are dropped.
func (a *Accounts) changeLocked(key string, used, reserved time.Duration) {
	a.keys[key] = account{min(a.usedLocked(key)+used, 2*a.limits.Hour), a.now(), a.keys[key].reserved + reserved}
	if len(a.keys)%manyKeys != 0 {
		return
	}
	for other := range a.keys {
		if a.usedLocked(other) == 0 && a.keys[other].reserved == 0 {
			delete(a.keys, other)
		}
	}
}

// manyKeys is the number of accounts after which those without a use are dropped.
const manyKeys = 1024

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

// least is the time of a call of a key that has used up its time.
const least = time.Second

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
	used time.Duration
	at   time.Time
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
	w.Resume()
	return w
}

// allow sets the time that a work may take.
func (w *Work) allow() {
	if w.accounts == nil {
		return
	}
	w.allowed = w.accounts.limits.Call
	hour := w.accounts.limits.Hour
	if hour == 0 {
		return
	}
	if left := max(least, hour-w.accounts.used(w.key)); w.allowed == 0 || left < w.allowed {
		w.allowed, w.hour = left, true
	}
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

// charge adds time to what a key has used. It drops the accounts of keys whose time is
// forgiven.
func (a *Accounts) charge(key string, d time.Duration) {
	if a == nil || a.limits.Hour == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.keys[key] = account{min(a.usedLocked(key)+d, a.limits.Hour), a.now()}
	if len(a.keys)%manyKeys != 0 {
		return
	}
	for other := range a.keys {
		if a.usedLocked(other) == 0 {
			delete(a.keys, other)
		}
	}
}

// manyKeys is the number of accounts after which those without a use are dropped.
const manyKeys = 1024

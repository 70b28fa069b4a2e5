package quota

import "time"

// SetIdle sets the time after which a lease that was not used is returned.
func (v *Valkey) SetIdle(d time.Duration) { v.idle = d }

// SetMost sets how many accounts a process remembers.
func (v *Valkey) SetMost(n int) { v.most = n }

// Knows reports whether the process remembers the account of a key.
func (v *Valkey) Knows(key string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.accounts[key] != nil
}

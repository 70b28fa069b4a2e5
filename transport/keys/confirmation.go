package keys

import "context"

// A Confirmation says which copies of a change of keys a store has confirmed. A change that is
// not confirmed is made all the same: until it is, a crash or a failover of the store can undo
// it. A command shows that to the operator who has revoked a key.
type Confirmation struct {
	// Synced says that the change is on disk. OnDisk is false for a store that cannot say so.
	Synced, OnDisk bool
	Replicas       int // of the store
	Confirmed      int // of them, which have the change
}

// Safe reports whether everything that can confirm the change has done so.
func (c Confirmation) Safe() bool { return (c.Synced || !c.OnDisk) && c.Confirmed >= c.Replicas }

type confirmationKey struct{}

// WithConfirmation returns a context with which a change of a [Store] reports how many copies
// of it there are. into is set before the method that makes the change returns without an
// error, and is left as it is by one that changes nothing.
func WithConfirmation(ctx context.Context, into *Confirmation) context.Context {
	return context.WithValue(ctx, confirmationKey{}, into)
}

// confirm sets the confirmation that the caller of a change has asked for.
func confirm(ctx context.Context, c Confirmation) {
	if into, ok := ctx.Value(confirmationKey{}).(*Confirmation); ok {
		*into = c
	}
}

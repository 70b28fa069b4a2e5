package keys

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/triptych-mcp/triptych/mcp/host"
)

// A Ring finds records on each request. [FileStore] and [ValkeyStore] answer nearly all
// look-ups from memory.
type Ring interface {
	// Find returns the record of a token: [ErrUnknown] when there is none, an
	// error that wraps [ErrUnavailable] when the store cannot be read. Then the
	// record is that of the last successful look-up of the ring, or zero if the
	// token was unknown to it: the key may have been revoked since, so it must
	// not authorize more than a liveness check. The caller asks [Record.Check]
	// whether the key works. For a token that a rotation replaced, the record
	// expires when that token does.
	Find(ctx context.Context, t Token) (Record, error)
}

// A Store manages keys. Changes are stored safely, as far as the store can, before a method
// returns, and a change that fails with [ErrUnavailable] may have been made all the same. IDs
// that do not exist are a [*NotFoundError].
type Store interface {
	Ring
	// Create makes a key with settings that [SettingError] does not refuse, and an ID and a
	// token that no key has. The token is returned this once. On success the key works at once
	// at this process, and at others within [MaxAge].
	Create(ctx context.Context, kind Kind, s Settings) (Record, Token, error)
	// CreateFirst makes a key if there is none, also of all processes that do so at one
	// time only one. Otherwise it returns a zero record, or [ErrLost] if the store once
	// had keys and has none.
	CreateFirst(ctx context.Context, kind Kind, s Settings) (Record, Token, error)
	// List returns all records, oldest first, revoked and expired ones too.
	List(ctx context.Context) ([]Record, error)
	// Page returns at most n records, oldest first: those after the one with an ID, or the
	// first ones if that is "".
	Page(ctx context.Context, after string, n int) ([]Record, error)
	// GetAll returns those of the records with some IDs that there are, in any order.
	GetAll(ctx context.Context, ids []string) ([]Record, error)
	// Get returns one record, or a [*NotFoundError].
	Get(ctx context.Context, id string) (Record, error)
	// Rotate gives a key a new token, which is returned this once. The one before works on for
	// grace, 0 for not at all, any earlier one stops, and so do the grants. A revoked key is not rotated:
	// [ErrRevoked].
	Rotate(ctx context.Context, id string, grace time.Duration) (Record, Token, error)
	// Revoke makes a key and its grants stop working for ever: no method undoes it. Doing it twice changes
	// nothing, and the first time of revocation stays.
	Revoke(ctx context.Context, id string) (Record, error)
	// Update changes a key's settings. change may be called more than once, each time with the
	// present settings, and its error leaves everything as it was. A key that was revoked can
	// be updated. A change of other than the name and the expiry ends the grants of clients: people
	// have allowed them what the key could do then.
	Update(ctx context.Context, id string, change func(*Settings) error) (Record, error)
	// ChangeGrants replaces the grants of a key by what change returns, without those that have
	// expired. change may be called more than once, each time with the present record, and its
	// error leaves everything as it was. Where there would be more than [MaxGrants], those not
	// used for longest make room.
	ChangeGrants(ctx context.Context, id string, change func(Record) ([]Grant, error)) (Record, error)
	// Invite makes a token of the kind [Invitation], with which [Store.Redeem] works once until a
	// time, and returns it this once. host is the program that it is for, "" for any. The
	// invitation before it ends. A revoked key has none: [ErrRevoked].
	Invite(ctx context.Context, id, host string, until time.Time) (Record, Token, error)
	// Redeem rotates the key with an ID by a token of Invite, which it uses up: of several calls
	// one succeeds. Others get [ErrUnknown], or [ErrExpired] if the invitation or the key has.
	Redeem(ctx context.Context, id string, invitation Token) (Record, Token, error)
	// Watch keeps the ring up to date until ctx is done, and blocks. It returns nil: failures
	// are logged, and look-ups report them. Without it the store works, and a change of
	// another process is seen within [MaxAge].
	Watch(ctx context.Context) error
	// Close releases what the store holds. No method may be called afterwards. The caller ends
	// Watch first.
	Close() error
}

// A backend changes records one by one, each change as a whole: another process sees the
// record before or after it. It reports confirmations as [WithConfirmation] asks.
type backend interface {
	// insert adds a record; false when its ID is taken.
	insert(ctx context.Context, r Record) (bool, error)
	// change replaces a record by what edit makes of it. edit is called again with the new
	// record where another process was faster; its error ends the change.
	change(ctx context.Context, id string, edit func(Record) (Record, error)) (Record, error)
}

// A manager creates, rotates, revokes and updates keys of any backend. It has all rules of
// what may change, a backend those of how.
type manager struct {
	backend backend
	now     func() time.Time
	scopes  []host.Scope // of a new key that names none
}

// IDPrefix begins the ID of every key, and of no other principal.
const IDPrefix = "key_"

const (
	idAlphabet = "0123456789abcdefghijklmnopqrstuvwxyz"
	idLen      = 10
)

// idForm matches the ids of keys. They are no secrets.
var idForm = regexp.MustCompile(`^key_[0-9a-z]{10}$`)

// Create implements [Store].
func (m *manager) Create(ctx context.Context, kind Kind, s Settings) (Record, Token, error) {
	if !kind.IsKey() {
		return Record{}, Token{}, fmt.Errorf("%q is no kind of key", kind)
	}
	s = s.filled(m.scopes)
	if err := s.check(); err != nil {
		return Record{}, Token{}, err
	}
	t := NewToken(kind)
	r := Record{Kind: kind, Hint: t.String(), Hash: t.Hash(), Settings: s, Created: stored(m.now())}
	for added := false; !added; {
		r.ID = IDPrefix + randomText(idAlphabet, idLen)
		var err error
		if added, err = m.backend.insert(ctx, r); err != nil {
			return Record{}, Token{}, err
		}
	}
	return r, t, nil
}

// Rotate implements [Store].
func (m *manager) Rotate(ctx context.Context, id string, grace time.Duration) (Record, Token, error) {
	if grace < 0 {
		return Record{}, Token{}, errors.New("the time that the old token works on is negative")
	}
	var t Token
	r, err := m.backend.change(ctx, id, func(r Record) (Record, error) {
		if !r.Revoked.IsZero() {
			return r, ErrRevoked
		}
		t = NewToken(r.Kind)
		return r.rotated(t, stored(m.now()), grace), nil
	})
	if err != nil {
		return Record{}, Token{}, err
	}
	return r, t, nil
}

// rotated returns the record with a new token. Only one token before it can work on.
func (r Record) rotated(t Token, now time.Time, grace time.Duration) Record {
	r.Previous, r.PreviousUntil = Hash{}, time.Time{}
	if grace > 0 {
		r.Previous, r.PreviousUntil = r.Hash, stored(now.Add(grace))
	}
	r.Hash, r.Hint, r.Rotated, r.Grants = t.Hash(), t.String(), now, nil
	return r
}

// Revoke implements [Store].
func (m *manager) Revoke(ctx context.Context, id string) (Record, error) {
	return m.backend.change(ctx, id, func(r Record) (Record, error) {
		if r.Revoked.IsZero() {
			r.Revoked = stored(m.now())
		}
		r.Grants = nil
		return r, nil
	})
}

// Update implements [Store].
func (m *manager) Update(ctx context.Context, id string, change func(*Settings) error) (Record, error) {
	return m.backend.change(ctx, id, func(r Record) (Record, error) {
		s := r.plain() // slices of its own
		if err := change(&s); err != nil {
			return r, err
		}
		s = s.plain()
		if !s.sameRights(&r.Settings) {
			r.Grants = slices.DeleteFunc(slices.Clone(r.Grants), func(g Grant) bool { return !g.IsInvitation() })
		}
		r.Settings = s
		return r, s.check()
	})
}

// check returns what is wrong with a record that was read, nil if nothing is. Stores may be
// edited by people and by other versions.
func (r *Record) check() error {
	switch {
	case !idForm.MatchString(r.ID):
		return fmt.Errorf("%q is no id of a key", r.ID)
	case !r.Kind.IsKey():
		return fmt.Errorf("%s: %q is no kind of key", r.ID, r.Kind)
	case r.Hash == Hash{}:
		return fmt.Errorf("%s has no hash", r.ID)
	case (r.Previous == Hash{}) != r.PreviousUntil.IsZero():
		return fmt.Errorf("%s: previous and previous_until belong together", r.ID)
	case r.Created.IsZero():
		return fmt.Errorf("%s has no time of creation", r.ID)
	}
	if err := r.Settings.check(); err != nil {
		return fmt.Errorf("%s: %w", r.ID, err)
	}
	return r.checkGrants()
}

// Adopt adds the record of a key of another store, such as one from a backup, whose token then
// works here, too. It reports whether it was added: false if the ID is taken.
func (m *manager) Adopt(ctx context.Context, r Record) (bool, error) { return m.backend.insert(ctx, r) }

// ChangeGrants implements [Store].
func (m *manager) ChangeGrants(ctx context.Context, id string, change func(Record) ([]Grant, error)) (Record, error) {
	return m.backend.change(ctx, id, func(r Record) (Record, error) {
		r.Grants = slices.Clone(r.Grants)
		for i := range r.Grants {
			r.Grants[i].Access = slices.Clone(r.Grants[i].Access)
		}
		grants, err := change(r)
		if err != nil {
			return r, err
		}
		r.Grants = trimGrants(grants, m.now())
		return r, r.checkGrants()
	})
}

package keys

import (
	"cmp"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/quota"
)

// A Hash is the SHA-256 of a token. It is written in hexadecimal. The zero value is the hash
// of no token.
type Hash [32]byte

// Equal reports whether two hashes are the same, in constant time.
func (h Hash) Equal(other Hash) bool { return subtle.ConstantTimeCompare(h[:], other[:]) == 1 }

// MarshalText implements [encoding.TextMarshaler].
func (h Hash) MarshalText() ([]byte, error) { return []byte(hex.EncodeToString(h[:])), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. It accepts 64 hexadecimal digits, no
// fewer.
func (h *Hash) UnmarshalText(text []byte) error {
	if len(text) != 2*len(h) {
		return errors.New("a hash has 64 hexadecimal digits")
	}
	_, err := hex.Decode(h[:], text)
	return err
}

// A Record is the stored form of a key. It holds no secret. Callers that get one must not
// change what its slices hold.
type Record struct {
	// ID names the key in lists, logs and counters, such as key_4f7c2m9xq0.
	// It stays when the key is rotated.
	ID   string `json:"id"`
	Kind Kind   `json:"kind"`
	// Hint is the beginning of the token, to tell which one it is.
	Hint string `json:"hint"`
	Hash Hash   `json:"hash"`
	// Previous is the hash of the token before the last rotation, which works
	// until PreviousUntil; both are zero when none does.
	Previous      Hash      `json:"previous,omitzero"`
	PreviousUntil time.Time `json:"previous_until,omitzero"`

	Settings
	// Grants are the clients that may act with the key without its token.
	Grants []Grant `json:"grants,omitempty"`
	// Through is the grant whose token [Ring.Find] has found; nil for a token of the key
	// itself. It is not stored.
	Through *Grant `json:"-"`

	Created time.Time `json:"created"`
	Rotated time.Time `json:"rotated,omitzero"` // zero if never
	Revoked time.Time `json:"revoked,omitzero"` // zero while it works
}

// Settings are the properties of a key that its manager may choose. [Store.Create] and
// [Store.Update] check them, and return a [*SettingError] for what no key can have.
type Settings struct {
	// Name is for people: whose key it is, or what for. It may be empty.
	Name string `json:"name,omitzero"`
	// Scopes are the rights. A record always lists them; for a new key nil
	// means all.
	Scopes []host.Scope `json:"scopes"`
	Plan   quota.Plan   `json:"plan"` // for a new key "" means free
	// Own are the limits of a key with the plan Enterprise.
	Own quota.Limits `json:"limits,omitzero"`
	// Expires is when the key stops working; zero is never.
	Expires time.Time `json:"expires,omitzero"`
	// Allow are the addresses that the key works from; none means all.
	Allow []netip.Prefix `json:"allow,omitempty"`
	// Toolsets are the groups of tools that the key may see and call, as
	// [host.ToolSelection] names them; none means all.
	Toolsets []string `json:"toolsets,omitempty"`
	// Label is the label of the rulesets that the key reads, "" for that of the server.
	Label string `json:"label,omitempty"`
}

// Principal returns the principal that a request with this key is charged to. It shares slices
// with the record.
func (r *Record) Principal() host.Principal {
	scopes := r.Scopes
	if scopes == nil { // a principal without a list has every right, a record without one none
		scopes = []host.Scope{}
	}
	return host.Principal{ID: r.ID, Scopes: scopes, Toolsets: r.Toolsets, Label: r.Label}
}

// Limits returns the limits of the plan, or the key's own.
func (s *Settings) Limits() quota.Limits { return s.Plan.Limits(s.Own) }

// Check returns nil if the key works at a time and from an address, else [ErrRevoked],
// [ErrExpired] or an [*AddressError], the first of these that applies. It is a pure function.
func (r *Record) Check(now time.Time, from netip.Addr) error {
	switch {
	case !r.Revoked.IsZero():
		return ErrRevoked
	case !r.Expires.IsZero() && !now.Before(r.Expires):
		return ErrExpired
	case !r.allows(from):
		return &AddressError{Addr: from}
	}
	return nil
}

// Inactive reports whether the key was revoked or has expired, so that it works from
// no address.
func (r *Record) Inactive(now time.Time) bool {
	return !r.Revoked.IsZero() || !r.Expires.IsZero() && !now.Before(r.Expires)
}

// allows reports whether the key works from an address. An IPv4 address that
// came over IPv6 is the IPv4 address.
func (r *Record) allows(from netip.Addr) bool {
	from = from.Unmap().WithZone("")
	return len(r.Allow) == 0 || slices.ContainsFunc(r.Allow, func(p netip.Prefix) bool { return p.Contains(from) })
}

var (
	// ErrUnknown is returned for a token that no record belongs to.
	ErrUnknown = errors.New("unknown key")
	// ErrRevoked is returned for a key that was revoked.
	ErrRevoked = errors.New("the key was revoked")
	// ErrExpired is returned for a key, or a token replaced by rotation, whose
	// time is over.
	ErrExpired = errors.New("the key has expired")
	// ErrUnavailable is wrapped when the store cannot be read or written, or
	// holds something that cannot be trusted. It says nothing about a key.
	ErrUnavailable = errors.New("keys are not available")
)

// An AddressError reports that a key does not work from an address.
type AddressError struct{ Addr netip.Addr }

// Error names the address, not those from which the key works.
func (e *AddressError) Error() string {
	return fmt.Sprintf("the key does not work from the address %s", e.Addr)
}

// A NotFoundError reports that no key has an ID.
type NotFoundError struct{ ID string }

// Error names the id.
func (e *NotFoundError) Error() string { return fmt.Sprintf("no key has the id %q", e.ID) }

// A SettingError reports settings that no key can have.
type SettingError struct{ Reason string }

// Error returns the reason.
func (e *SettingError) Error() string { return e.Reason }

// byAge orders records: oldest first.
func byAge(a, b Record) int {
	return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
}

package keys

import (
	"context"
	"slices"
	"strings"
	"time"
)

// invitationClient is the Client of the grant of an invitation. No client of a login has this
// id. The hash of the invitation's token is its Family, and Name the host that it is for.
const invitationClient = "invitation"

// IsInvitation reports whether the grant is an invitation, not a client.
func (g *Grant) IsInvitation() bool { return g.Client == invitationClient }

// Invitation returns the invitation of the key that works at a time, nil if there is none.
func (r *Record) Invitation(now time.Time) *Grant {
	i := slices.IndexFunc(r.Grants, func(g Grant) bool { return g.IsInvitation() && !g.Inactive(now) })
	if i < 0 || r.Inactive(now) {
		return nil
	}
	return &r.Grants[i]
}

// Invite implements [Store].
func (m *manager) Invite(ctx context.Context, id, host string, until time.Time) (Record, Token, error) {
	token, now := NewToken(Invitation), m.now()
	invitation := Grant{
		ID: NewGrantID(), Client: invitationClient, Name: host,
		Family: token.Hash(), Current: token.Hash(), Until: until, Created: now, Used: now,
	}
	r, err := m.ChangeGrants(ctx, id, func(r Record) ([]Grant, error) {
		if !r.Revoked.IsZero() {
			return nil, ErrRevoked
		}
		return append(withoutInvitation(r.Grants), invitation), nil
	})
	if err != nil {
		return Record{}, Token{}, err
	}
	return r, token, nil
}

// Redeem implements [Store].
func (m *manager) Redeem(ctx context.Context, id string, invitation Token) (Record, Token, error) {
	var t Token
	r, err := m.backend.change(ctx, id, func(r Record) (Record, error) {
		if _, err := r.SpendInvitation(invitation.Hash(), m.now()); err != nil {
			return r, err
		}
		t = NewToken(r.Kind)
		return r.rotated(t, stored(m.now()), 0), nil
	})
	if err != nil {
		return Record{}, Token{}, err
	}
	return r, t, nil
}

// SpendInvitation returns the grants without the invitation whose token has a hash. It fails as
// [Store.Redeem] does.
func (r *Record) SpendInvitation(token Hash, now time.Time) ([]Grant, error) {
	i := slices.IndexFunc(r.Grants, func(g Grant) bool { return g.IsInvitation() && g.Family.Equal(token) })
	switch {
	case i < 0:
		return nil, ErrUnknown
	case r.Inactive(now) || r.Grants[i].Inactive(now):
		return nil, ErrExpired
	}
	return withoutInvitation(r.Grants), nil
}

// ParseInvitation returns the token of a link, or of a text that is such a token. The error is
// [ErrMalformed].
func ParseInvitation(text string) (Token, error) {
	text = strings.TrimRight(strings.TrimSpace(text), "/")
	token, err := ParseToken(text[strings.LastIndexByte(text, '/')+1:])
	if err == nil && token.Kind() != Invitation {
		err = ErrMalformed
	}
	if err != nil {
		return Token{}, err
	}
	return token, nil
}

// Invited returns the key of an invitation, which it leaves as it is. It fails as
// [Store.Redeem] and [Ring.Find] do.
func Invited(ctx context.Context, ring Ring, invitation Token, now time.Time) (Record, error) {
	r, err := ring.Find(ctx, invitation)
	if err == nil {
		_, err = r.SpendInvitation(invitation.Hash(), now)
	}
	return r, err
}

// withoutInvitation returns the grants of clients, in a slice of its own.
func withoutInvitation(grants []Grant) []Grant {
	return slices.DeleteFunc(slices.Clone(grants), func(g Grant) bool { return g.IsInvitation() })
}

package keys

import (
	"cmp"
	"fmt"
	"slices"
	"time"
	"unicode"
)

// A Grant lets a client use a key by tokens of its own, or is an invitation ([Store.Invite]).
// Nothing in it is a secret.
type Grant struct {
	// ID names the grant among those of the key, such as g4f7c2m9xq0.
	ID string `json:"id"`
	// Client is the id of the client, and Name what it calls itself.
	Client string `json:"client"`
	Name   string `json:"name,omitzero"`
	// Resource is the URL of the server for which the tokens are good; "" for an invitation.
	Resource string `json:"resource"`

	// Family is the hash of the [Token] that codes and refresh tokens of the grant begin
	// with, and Current that of the only one that works, until Until. They are zero for a
	// grant that is not renewed.
	Family  Hash      `json:"family,omitzero"`
	Current Hash      `json:"current,omitzero"`
	Until   time.Time `json:"until,omitzero"`
	// Challenge and Redirect come from the authorization request while Current is a code.
	Challenge string `json:"challenge,omitzero"`
	Redirect  string `json:"redirect,omitzero"`

	// Access are the access tokens, the newest last.
	Access []Accessor `json:"access,omitempty"`

	Created time.Time `json:"created"`
	Used    time.Time `json:"used"` // when a token was made last
}

// An Accessor is the stored form of an access token.
type Accessor struct {
	Hash  Hash      `json:"hash"`
	Until time.Time `json:"until"`
}

// The bounds of grants: records are searched on each request, and a file of keys is replaced as
// a whole.
const (
	// MaxGrants limits the grants of a key.
	MaxGrants = 32
	// MaxAccess limits the access tokens of a grant.
	MaxAccess = 16
	// MaxGrantText limits the bytes of each text of a grant.
	MaxGrantText = 4096
)

// NewGrantID returns an ID for a grant.
func NewGrantID() string { return "g" + randomText(idAlphabet, idLen) }

// grantedTo reports whether a token of a grant opens the record.
func (r Record) grantedTo(h Hash) (Record, bool) {
	for i := range r.Grants {
		g := &r.Grants[i]
		if g.Family != (Hash{}) && g.Family.Equal(h) {
			r.Through = g
			return r, true
		}
		for _, a := range g.Access {
			if a.Hash.Equal(h) {
				r.Through = g
				r.expireBy(a.Until)
				return r, true
			}
		}
	}
	return r, false
}

// appendHashes appends the hashes of the tokens of the grant.
func (g *Grant) appendHashes(all []Hash) []Hash {
	if g.Family != (Hash{}) {
		all = append(all, g.Family)
	}
	for _, a := range g.Access {
		all = append(all, a.Hash)
	}
	return all
}

// Inactive reports whether no token of the grant works any more.
func (g *Grant) Inactive(now time.Time) bool {
	return !now.Before(g.Until) && !slices.ContainsFunc(g.Access, func(a Accessor) bool { return now.Before(a.Until) })
}

// checkGrants returns what is wrong with the grants of a record.
func (r *Record) checkGrants() error {
	if len(r.Grants) > MaxGrants {
		return fmt.Errorf("%s has more than %d grants", r.ID, MaxGrants)
	}
	for i := range r.Grants {
		g := &r.Grants[i]
		switch {
		case g.ID == "" || g.Client == "" || g.Created.IsZero():
			return fmt.Errorf("%s has a grant without an id, a client or a time", r.ID)
		case (g.Family == Hash{}) != (g.Current == Hash{}):
			return fmt.Errorf("%s: family and current of a grant belong together", r.ID)
		case len(g.Access) > MaxAccess:
			return fmt.Errorf("%s has a grant with more than %d access tokens", r.ID, MaxAccess)
		}
		for _, text := range []string{g.ID, g.Client, g.Name, g.Resource, g.Challenge, g.Redirect} {
			if len(text) > MaxGrantText || slices.ContainsFunc([]rune(text), func(c rune) bool { return !unicode.IsPrint(c) }) {
				return fmt.Errorf("%s has a grant with a text that is too long or not printable", r.ID)
			}
		}
		if slices.ContainsFunc(g.Access, func(a Accessor) bool { return a.Hash == (Hash{}) }) {
			return fmt.Errorf("%s has a grant with an access token without a hash", r.ID)
		}
	}
	return nil
}

// trimGrants returns grants as they are stored: without those that have expired, the others
// with the access tokens that work, and no more than may be.
func trimGrants(grants []Grant, now time.Time) []Grant {
	grants = slices.DeleteFunc(grants, func(g Grant) bool { return g.Inactive(now) })
	for i := range grants {
		g := &grants[i]
		g.Access = slices.DeleteFunc(g.Access, func(a Accessor) bool { return !now.Before(a.Until) })
		g.Access = g.Access[max(0, len(g.Access)-MaxAccess):]
		g.Until, g.Created, g.Used = stored(g.Until), stored(g.Created), stored(g.Used)
		for j := range g.Access {
			g.Access[j].Until = stored(g.Access[j].Until)
		}
	}
	for len(grants) > MaxGrants {
		least := slices.MinFunc(grants, func(a, b Grant) int { return cmp.Or(a.Used.Compare(b.Used), cmp.Compare(a.ID, b.ID)) })
		grants = slices.DeleteFunc(grants, func(g Grant) bool { return g.ID == least.ID })
	}
	return grants
}

// sameRights reports whether settings differ in the name and the expiry at most.
func (s *Settings) sameRights(other *Settings) bool {
	return slices.Equal(s.Scopes, other.Scopes) && s.Plan == other.Plan && s.Own == other.Own &&
		slices.Equal(s.Allow, other.Allow) && slices.Equal(s.Toolsets, other.Toolsets) && s.Label == other.Label
}

package keys_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/keys"
)

// grantOf returns a grant with a new family and access token, made at a time.
func grantOf(client string, at time.Time) (g keys.Grant, family, access keys.Token) {
	family, access = keys.NewToken(keys.Family), keys.NewToken(keys.Access)
	return keys.Grant{
		ID: keys.NewGrantID(), Client: client, Name: "An editor", Resource: "https://mcp.example/mcp",
		Family: family.Hash(), Current: keys.Hash{1}, Until: at.Add(24 * time.Hour),
		Access:  []keys.Accessor{{Hash: access.Hash(), Until: at.Add(time.Hour)}},
		Created: at, Used: at,
	}, family, access
}

func addGrant(t *testing.T, s keys.Store, id string, g keys.Grant) keys.Record {
	t.Helper()
	r, err := s.ChangeGrants(t.Context(), id, func(r keys.Record) ([]keys.Grant, error) { return append(r.Grants, g), nil })
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The tokens of a grant open its key at every handle, an access token until it expires; grants
// that have expired and those beyond the bound make room.
func grants(t *testing.T, open opener) {
	s, other := open(atNoon), open(atNoon)
	r, token := create(t, s, keys.Settings{})
	check(t, other, token, noon, nil) // it has the record in memory
	g, family, access := grantOf("https://client.example/id", noon)
	addGrant(t, s, r.ID, g)
	for _, handle := range []keys.Store{s, other} {
		for _, tc := range []struct {
			token   keys.Token
			expires time.Time
		}{{access, noon.Add(time.Hour)}, {family, time.Time{}}} {
			got, err := handle.Find(t.Context(), tc.token)
			if err != nil || got.ID != r.ID || got.Through == nil || got.Through.ID != g.ID || !got.Expires.Equal(tc.expires) {
				t.Errorf("Find(%v): %+v, %v", tc.token, got, err)
			}
		}
		if got, err := handle.Find(t.Context(), token); err != nil || got.Through != nil || handle == s && len(got.Grants) != 1 {
			t.Errorf("the key: %+v, %v", got, err)
		}
	}
	check(t, s, access, noon.Add(time.Hour), keys.ErrExpired)
	check(t, s, keys.NewToken(keys.Access), noon, keys.ErrUnknown)

	old, _, _ := grantOf("old", noon.Add(-48*time.Hour))
	if got := addGrant(t, s, r.ID, old); len(got.Grants) != 1 {
		t.Errorf("a grant that has expired stays: %+v", got.Grants)
	}
	for i := range keys.MaxGrants {
		more, _, _ := grantOf(fmt.Sprint("client ", i), noon.Add(time.Duration(i+1)*time.Second))
		r = addGrant(t, s, r.ID, more)
	}
	if len(r.Grants) != keys.MaxGrants {
		t.Errorf("%d grants, want %d", len(r.Grants), keys.MaxGrants)
	}
	check(t, s, access, noon, keys.ErrUnknown) // the oldest has made room
	bad, _, _ := grantOf("a\nb", noon)
	refused := errors.New("refused")
	if _, err := s.ChangeGrants(t.Context(), r.ID, func(keys.Record) ([]keys.Grant, error) { return []keys.Grant{bad}, nil }); err == nil {
		t.Error("a client with a line break is stored")
	}
	if _, err := s.ChangeGrants(t.Context(), r.ID, func(keys.Record) ([]keys.Grant, error) { return nil, refused }); !errors.Is(err, refused) {
		t.Errorf("the error of a change: %v", err)
	}
}

// Revoking and rotating a key, and changing what it may do, end its grants at every handle.
func grantsEnd(t *testing.T, open opener) {
	for name, change := range map[string]func(s keys.Store, id string) error{
		"revoke": func(s keys.Store, id string) error { _, err := s.Revoke(t.Context(), id); return err },
		"rotate": func(s keys.Store, id string) error { _, _, err := s.Rotate(t.Context(), id, time.Hour); return err },
		"scopes": func(s keys.Store, id string) error {
			_, err := s.Update(t.Context(), id, func(x *keys.Settings) error { x.Scopes = []host.Scope{"aoc:read"}; return nil })
			return err
		},
	} {
		s, other := open(atNoon), open(atNoon)
		r, _ := create(t, s, keys.Settings{})
		g, family, access := grantOf("client", noon)
		addGrant(t, s, r.ID, g)
		if _, err := s.Update(t.Context(), r.ID, func(x *keys.Settings) error { x.Name = "another"; return nil }); err != nil {
			t.Fatal(err)
		}
		check(t, other, access, noon, nil) // a name is no right
		if err := change(s, r.ID); err != nil {
			t.Fatal(err)
		}
		deadline := time.Now().Add(soon)
		for _, handle := range []keys.Store{s, other} {
			for _, token := range []keys.Token{family, access} {
				_, err := handle.Find(t.Context(), token)
				for handle == other && err == nil && time.Now().Before(deadline) {
					time.Sleep(10 * time.Millisecond)
					_, err = handle.Find(t.Context(), token)
				}
				if !errors.Is(err, keys.ErrUnknown) {
					t.Errorf("%s: %v is found: %v", name, token, err)
				}
			}
		}
	}
}

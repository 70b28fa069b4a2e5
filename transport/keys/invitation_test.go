package keys_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/keys"
)

func invite(t *testing.T, s keys.Store, id string) keys.Token {
	t.Helper()
	_, token, err := s.Invite(t.Context(), id, "cursor", noon.Add(24*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// redeem does what a server does with an invitation.
func redeem(ctx context.Context, s keys.Store, invitation keys.Token, now time.Time) (keys.Token, error) {
	r, err := keys.Invited(ctx, s, invitation, now)
	if err != nil {
		return keys.Token{}, err
	}
	_, token, err := s.Redeem(ctx, r.ID, invitation)
	return token, err
}

// signIn uses an invitation up as a login does.
func signIn(ctx context.Context, s keys.Store, id string, invitation keys.Token) error {
	_, err := s.ChangeGrants(ctx, id, func(r keys.Record) ([]keys.Grant, error) { return r.SpendInvitation(invitation.Hash(), noon) })
	return err
}

// The token of a link is its last segment, however it was pasted.
func TestParseInvitation(t *testing.T) {
	want := keys.NewToken(keys.Invitation)
	for _, text := range []string{want.Reveal(), " https://mcp.example/invite/" + want.Reveal() + "/\n"} {
		if got, err := keys.ParseInvitation(text); err != nil || got != want {
			t.Errorf("%v, %v", got, err)
		}
	}
	for _, text := range []string{"", "https://mcp.example/invite/", want.Reveal()[:40], keys.NewToken(keys.Live).Reveal(), want.Reveal() + "?x"} {
		if got, err := keys.ParseInvitation(text); !errors.Is(err, keys.ErrMalformed) || got != (keys.Token{}) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

// Of many calls with an invitation, at two handles of a store, one gets the key anew. The
// invitation itself is no key, and looking at it does not use it up.
func invitationOnce(t *testing.T, open opener) {
	handles := []keys.Store{open(atNoon), open(atNoon)}
	r, before := create(t, handles[0], keys.Settings{})
	invitation := invite(t, handles[0], r.ID)
	for range 3 {
		if got, err := keys.Invited(t.Context(), handles[1], invitation, noon); err != nil || got.ID != r.ID || got.Invitation(noon).Name != "cursor" {
			t.Fatalf("looking at it: %+v, %v", got, err)
		}
	}
	for _, kind := range []keys.Kind{keys.Family, keys.Live} {
		if _, err := redeem(t.Context(), handles[0], keys.NewToken(kind), noon); !errors.Is(err, keys.ErrUnknown) {
			t.Errorf("a token of the kind %s: %v", kind, err)
		}
	}
	var wait sync.WaitGroup
	var mu sync.Mutex
	var made []keys.Token
	for i := range 8 {
		wait.Go(func() {
			_, token, err := handles[i%2].Redeem(t.Context(), r.ID, invitation)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				made = append(made, token)
			} else if !errors.Is(err, keys.ErrUnknown) {
				t.Errorf("another: %v", err)
			}
		})
	}
	wait.Wait()
	if len(made) != 1 {
		t.Fatalf("%d of 8 calls succeeded", len(made))
	}
	check(t, handles[0], made[0], noon, nil)
	check(t, handles[0], before, noon, keys.ErrUnknown)
	if err := signIn(t.Context(), handles[0], r.ID, invitation); !errors.Is(err, keys.ErrUnknown) {
		t.Errorf("a used one signs in: %v", err)
	}
}

// An invitation ends by its time, another one, a rotation, a sign-in, and with the key, but not
// by a change of what the key may do.
func invitationsEnd(t *testing.T, open opener) {
	for name, tc := range map[string]struct {
		change func(s keys.Store, id string, invitation keys.Token) error
		after  time.Duration
		want   error
	}{
		"time":    {func(keys.Store, string, keys.Token) error { return nil }, 24 * time.Hour, keys.ErrExpired},
		"another": {func(s keys.Store, id string, _ keys.Token) error { invite(t, s, id); return nil }, 0, keys.ErrUnknown},
		"rotate": {func(s keys.Store, id string, _ keys.Token) error {
			_, _, err := s.Rotate(t.Context(), id, 0)
			return err
		}, 0, keys.ErrUnknown},
		"revoke":  {func(s keys.Store, id string, _ keys.Token) error { _, err := s.Revoke(t.Context(), id); return err }, 0, keys.ErrUnknown},
		"sign in": {func(s keys.Store, id string, i keys.Token) error { return signIn(t.Context(), s, id, i) }, 0, keys.ErrUnknown},
		"expiry of the key": {func(s keys.Store, id string, _ keys.Token) error {
			_, err := s.Update(t.Context(), id, func(x *keys.Settings) error { x.Expires = noon.Add(time.Hour); return nil })
			return err
		}, time.Hour, keys.ErrExpired},
		"scopes": {func(s keys.Store, id string, _ keys.Token) error {
			_, err := s.Update(t.Context(), id, func(x *keys.Settings) error { x.Scopes = []host.Scope{"aoc:read"}; return nil })
			return err
		}, 0, nil},
	} {
		now := &clock{now: noon}
		s := open(now.Now)
		r, _ := create(t, s, keys.Settings{})
		invitation := invite(t, s, r.ID)
		if err := tc.change(s, r.ID, invitation); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		now.Add(tc.after)
		if _, err := redeem(t.Context(), s, invitation, now.Now()); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
	s := open(atNoon)
	r, token := create(t, s, keys.Settings{})
	if err := signIn(t.Context(), s, r.ID, invite(t, s, r.ID)); err != nil {
		t.Fatal(err)
	}
	check(t, s, token, noon, nil) // a sign-in leaves the key as it is
	if _, err := s.Revoke(t.Context(), r.ID); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Invite(t.Context(), r.ID, "", noon.Add(time.Hour)); !errors.Is(err, keys.ErrRevoked) {
		t.Errorf("an invitation for a revoked key: %v", err)
	}
}

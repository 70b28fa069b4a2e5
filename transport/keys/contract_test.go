package keys_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
)

var (
	quiet = slog.New(slog.DiscardHandler)
	noon  = time.Date(2026, 3, 1, 12, 0, 0, 123_000_000, time.UTC)
	same  = cmp.Options{cmp.Comparer(func(a, b netip.Prefix) bool { return a == b }), cmpopts.EquateEmpty()}
)

// soon limits the time until another handle sees a change: the promise
// is MaxAge, the rest is a slow machine.
const soon = keys.MaxAge + 2*time.Second

// A clock is a time that a test sets.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// An opener opens a handle of one store.
type opener func(now func() time.Time) keys.Store

// contract runs the tests that every store must pass. open returns an opener of a new, empty
// store.
func contract(t *testing.T, open func(t *testing.T) opener) {
	tests := []struct {
		name string
		test func(t *testing.T, open opener)
	}{
		{"a new key", newKey},
		{"settings survive", settingsSurvive},
		{"what cannot be", whatCannotBe},
		{"unknown", unknown},
		{"rotation", rotation},
		{"rotation with grace", rotationWithGrace},
		{"revocation", revocation},
		{"update", update},
		{"grants", grants},
		{"grants end with the key", grantsEnd},
		{"an invitation works once", invitationOnce},
		{"invitations end", invitationsEnd},
		{"order", order},
		{"another handle sees changes", anotherHandle},
		{"a watch hears changes", watchHears},
		{"concurrent changes", concurrentChanges},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) { tc.test(t, open(t)) })
	}
}

func atNoon() time.Time { return noon }

func create(t *testing.T, s keys.Store, settings keys.Settings) (keys.Record, keys.Token) {
	t.Helper()
	r, token, err := s.Create(t.Context(), keys.Live, settings)
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	return r, token
}

// check compares what opens a record now.
func check(t *testing.T, s keys.Store, token keys.Token, now time.Time, want error) {
	t.Helper()
	r, err := s.Find(t.Context(), token)
	if err == nil {
		err = r.Check(now, netip.MustParseAddr("192.0.2.1"))
	}
	if !errors.Is(err, want) {
		t.Errorf("%v opens: %v, want %v", token, err, want)
	}
}

// all are the scopes that a new key gets, in order of name.
var all = []host.Scope{
	"aoc:read", "aoc:write", "audit:read", "debug:read", "debug:write", "document:read", "document:write", "rulesets:read", "rulesets:write",
}

func newKey(t *testing.T, open opener) {
	s := open(atNoon)
	r, token := create(t, s, keys.Settings{Name: "ci"})
	if len(r.ID) != 14 || !strings.HasPrefix(r.ID, "key_") || r.Kind != keys.Live || r.Hint != token.String() {
		t.Errorf("record %+v", r)
	}
	if diff := cmp.Diff(all, r.Scopes); diff != "" || r.Plan != quota.Free || !r.Created.Equal(noon) {
		t.Errorf("scopes %s, plan %s, created %v", diff, r.Plan, r.Created)
	}
	got, err := s.Find(t.Context(), token)
	if diff := cmp.Diff(r, got, same); err != nil || diff != "" {
		t.Errorf("Find: %v %s", err, diff)
	}
	check(t, s, token, noon, nil)
	if p := got.Principal(); p.ID != r.ID || !p.Allows("aoc:write") {
		t.Errorf("principal %v", p)
	}
	tried, token, err := s.Create(t.Context(), keys.Test, keys.Settings{})
	if err != nil || tried.Kind != keys.Test || token.Kind() != keys.Test {
		t.Errorf("a key of kind test: %+v, %v", tried, err)
	}
}

func settingsSurvive(t *testing.T, open opener) {
	s := open(atNoon)
	settings := keys.Settings{
		Name: `Zoë "the build" <b&w>`, Scopes: []host.Scope{"aoc:read", "debug:read"}, Plan: quota.Enterprise,
		Own: quota.Limits{Month: 5_000_000, Minute: 2}, Expires: noon.Add(time.Hour),
		Allow: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8::/32")},
	}
	r, token := create(t, s, settings)
	again := open(atNoon)
	got, err := again.Find(t.Context(), token)
	if diff := cmp.Diff(settings, got.Settings, same); err != nil || diff != "" {
		t.Errorf("Find: %v %s", err, diff)
	}
	got, err = again.Get(t.Context(), r.ID)
	if diff := cmp.Diff(r, got, same); err != nil || diff != "" {
		t.Errorf("Get: %v %s", err, diff)
	}
	if got.Limits() != settings.Own {
		t.Errorf("limits %v", got.Limits())
	}
	none, token := create(t, s, keys.Settings{Scopes: []host.Scope{}})
	if got, err := again.Find(t.Context(), token); err != nil || len(got.Scopes) != 0 || got.Principal().Allows("aoc:read") {
		t.Errorf("%s without scopes has %v, %v", none.ID, got.Scopes, err)
	}
}

func whatCannotBe(t *testing.T, open opener) {
	s := open(atNoon)
	for name, bad := range map[string]keys.Settings{
		"long name":        {Name: strings.Repeat("x", 101)},
		"line in name":     {Name: "a\nb"},
		"bad UTF-8":        {Name: "\xff"},
		"plan":             {Plan: "gold"},
		"local plan":       {Plan: quota.LocalPlan},
		"limits of a plan": {Plan: quota.Free, Own: quota.Limits{Month: 1}},
		"negative limit":   {Plan: quota.Enterprise, Own: quota.Limits{Minute: -1}},
		"scope":            {Scopes: []host.Scope{"everything"}},
		"range":            {Allow: []netip.Prefix{{}}},
	} {
		if r, _, err := s.Create(t.Context(), keys.Live, bad); err == nil {
			t.Errorf("%s: made %+v", name, r)
		} else if _, ok := errors.AsType[*keys.SettingError](err); !ok {
			t.Errorf("%s: %v is no SettingError", name, err)
		}
	}
	if _, _, err := s.Create(t.Context(), "root", keys.Settings{}); err == nil {
		t.Error("a key of an unknown kind was made")
	}
	if all, err := s.List(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("List: %v, %v", all, err)
	}
}

func unknown(t *testing.T, open opener) {
	s := open(atNoon)
	check(t, s, keys.NewToken(keys.Live), noon, keys.ErrUnknown)
	check(t, s, keys.Token{}, noon, keys.ErrUnknown)
	create(t, s, keys.Settings{})
	check(t, s, keys.NewToken(keys.Live), noon, keys.ErrUnknown)
	const id = "key_0000000000"
	_, err1 := s.Get(t.Context(), id)
	_, _, err2 := s.Rotate(t.Context(), id, 0)
	_, err3 := s.Revoke(t.Context(), id)
	_, err4 := s.Update(t.Context(), id, func(*keys.Settings) error { return nil })
	_, err5 := s.Get(t.Context(), "")
	for i, err := range []error{err1, err2, err3, err4, err5} {
		if _, ok := errors.AsType[*keys.NotFoundError](err); !ok {
			t.Errorf("%d: %v is no NotFoundError", i, err)
		}
	}
}

func rotation(t *testing.T, open opener) {
	c := &clock{now: noon}
	s := open(c.Now)
	before, old := create(t, s, keys.Settings{Name: "n"})
	c.Add(time.Hour)
	after, fresh, err := s.Rotate(t.Context(), before.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	if after.ID != before.ID || after.Name != "n" || !after.Created.Equal(noon) || !after.Rotated.Equal(c.Now()) || after.Hint != fresh.String() {
		t.Errorf("rotated %+v", after)
	}
	check(t, s, old, c.Now(), keys.ErrUnknown)
	check(t, s, fresh, c.Now(), nil)
	if _, _, err := s.Rotate(t.Context(), before.ID, -time.Second); err == nil {
		t.Error("a negative grace was taken")
	}
}

func rotationWithGrace(t *testing.T, open opener) {
	s := open(atNoon)
	before, first := create(t, s, keys.Settings{})
	_, second, err := s.Rotate(t.Context(), before.ID, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	end := noon.Add(time.Hour)
	check(t, s, first, end.Add(-time.Millisecond), nil)
	check(t, s, first, end, keys.ErrExpired)
	check(t, s, second, end, nil)
	_, third, err := s.Rotate(t.Context(), before.ID, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	check(t, s, first, noon, keys.ErrUnknown)
	check(t, s, second, noon, nil)
	check(t, s, third, noon, nil)
	if _, err := s.Revoke(t.Context(), before.ID); err != nil {
		t.Fatal(err)
	}
	check(t, s, second, noon, keys.ErrRevoked)
}

func revocation(t *testing.T, open opener) {
	c := &clock{now: noon}
	s := open(c.Now)
	r, token := create(t, s, keys.Settings{})
	other, works := create(t, s, keys.Settings{})
	for range 2 { // twice changes nothing
		revoked, err := s.Revoke(t.Context(), r.ID)
		if err != nil || !revoked.Revoked.Equal(noon) {
			t.Fatalf("Revoke: %v, %v", revoked.Revoked, err)
		}
		c.Add(time.Hour)
	}
	check(t, s, token, noon, keys.ErrRevoked)
	check(t, s, works, noon, nil)
	if _, _, err := s.Rotate(t.Context(), r.ID, 0); !errors.Is(err, keys.ErrRevoked) {
		t.Errorf("rotating it: %v", err)
	}
	if got, err := s.Get(t.Context(), other.ID); err != nil || !got.Revoked.IsZero() {
		t.Errorf("the other: %v, %v", got, err)
	}
}

func update(t *testing.T, open opener) {
	s := open(atNoon)
	r, token := create(t, s, keys.Settings{})
	changed, err := s.Update(t.Context(), r.ID, func(settings *keys.Settings) error {
		settings.Name, settings.Scopes, settings.Expires = "b", []host.Scope{"aoc:read"}, noon
		return nil
	})
	if err != nil || changed.Name != "b" || changed.ID != r.ID || changed.Hash != r.Hash {
		t.Fatalf("Update: %+v, %v", changed, err)
	}
	check(t, s, token, noon, keys.ErrExpired)
	refusal := errors.New("no")
	if _, err := s.Update(t.Context(), r.ID, func(s *keys.Settings) error { s.Name = "c"; return refusal }); !errors.Is(err, refusal) {
		t.Errorf("a refused change: %v", err)
	}
	if _, err := s.Update(t.Context(), r.ID, func(s *keys.Settings) error { s.Plan = "gold"; return nil }); err == nil {
		t.Error("a bad plan was taken")
	}
	got, err := s.Get(t.Context(), r.ID)
	if diff := cmp.Diff(changed, got, same); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
}

func order(t *testing.T, open opener) {
	c := &clock{now: noon}
	s := open(c.Now)
	var want []string
	for range 5 {
		r, _ := create(t, s, keys.Settings{})
		want = append(want, r.ID)
		c.Add(time.Second)
	}
	if _, _, err := s.Rotate(t.Context(), want[0], 0); err != nil {
		t.Fatal(err)
	}
	all, err := s.List(t.Context())
	var got []string
	for _, r := range all {
		got = append(got, r.ID)
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
}

// anotherHandle has no watch: a new key is there at once, a revoked one gone
// after MaxAge.
func anotherHandle(t *testing.T, open opener) {
	one, two := open(atNoon), open(atNoon)
	r, token := create(t, one, keys.Settings{})
	check(t, two, token, noon, nil)
	if _, err := one.Revoke(t.Context(), r.ID); err != nil {
		t.Fatal(err)
	}
	check(t, one, token, noon, keys.ErrRevoked)
	time.Sleep(keys.MaxAge) // the promise is about real time
	check(t, two, token, noon, keys.ErrRevoked)
}

func watchHears(t *testing.T, open opener) {
	one, two := open(atNoon), open(atNoon)
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := two.Watch(ctx); err != nil {
			t.Errorf("Watch: %v", err)
		}
	})
	defer wg.Wait()
	defer stop()
	for range 3 {
		r, token := create(t, one, keys.Settings{})
		check(t, two, token, noon, nil)
		if _, err := one.Revoke(t.Context(), r.ID); err != nil {
			t.Fatal(err)
		}
		for began, asked := time.Now(), time.Now(); ; asked = time.Now() {
			if got, err := two.Find(t.Context(), token); err == nil && !got.Revoked.IsZero() {
				break
			} else if asked.Sub(began) > soon {
				t.Fatalf("the key still works after %v: %v", soon, err)
			}
			time.Sleep(time.Millisecond)
		}
	}
}

// concurrentChanges loses no change, whichever handle makes it.
func concurrentChanges(t *testing.T, open opener) {
	const handles, each = 4, 5
	shared, _ := create(t, open(atNoon), keys.Settings{})
	var wg sync.WaitGroup
	for h := range handles {
		s := open(atNoon)
		wg.Go(func() {
			for i := range each {
				create(t, s, keys.Settings{Name: fmt.Sprintf("%d.%d", h, i)})
				_, err := s.Update(t.Context(), shared.ID, func(s *keys.Settings) error { s.Name += "x"; return nil })
				if err != nil {
					t.Errorf("Update: %v", err)
				}
			}
		})
	}
	wg.Wait()
	s := open(atNoon)
	all, err := s.List(t.Context())
	if err != nil || len(all) != handles*each+1 {
		t.Errorf("%d keys, %v, want %d", len(all), err, handles*each+1)
	}
	if got, err := s.Get(t.Context(), shared.ID); err != nil || got.Name != strings.Repeat("x", handles*each) {
		t.Errorf("name %q, %v", got.Name, err)
	}
}

func encoded(t *testing.T, r keys.Record) string {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

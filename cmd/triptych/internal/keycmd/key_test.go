package keycmd

import (
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/transport/keys"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// output returns an App at noon, and a function that returns what it has printed.
func output(t *testing.T) (commands, func() string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() }) // read by its path
	return newCommands(&app.App{IO: &cmdio.IO{Out: f, Err: f}, Now: func() time.Time { return noon }}), func() string {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}

// A key that was revoked is not called expired, and addresses do not count.
func TestKeyState(t *testing.T) {
	a, _ := output(t)
	over := noon.Add(-time.Second)
	for want, all := range map[string][]keys.Record{
		"active":  {{}, {Settings: keys.Settings{Expires: noon.Add(time.Second)}}, {Settings: keys.Settings{Allow: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}}},
		"expired": {{Settings: keys.Settings{Expires: over}}},
		"revoked": {{Revoked: over}, {Revoked: over, Settings: keys.Settings{Expires: over}}},
	} {
		for _, r := range all {
			if got := a.keyState(r); got != want {
				t.Errorf("%+v: %s, want %s", r, got, want)
			}
		}
	}
}

// Keys are listed a line each, with what is safe to show of them.
func TestPrintKeys(t *testing.T) {
	a, printed := output(t)
	err := a.printKeys([]keys.Record{
		{ID: "key_1", Settings: keys.Settings{Name: "one\x1b[2J\nline"}, Hint: "tri_live_ab"}, {ID: "key_2", Settings: keys.Settings{Name: "two", Expires: noon.Add(90 * time.Minute)}, Revoked: noon},
	}, false)
	lines := strings.Split(printed(), "\n")
	if err != nil || len(lines) != 4 || !strings.HasPrefix(lines[0], "ID ") || !strings.HasPrefix(lines[1], "key_1  tri_live_ab  active ") ||
		strings.ContainsRune(lines[1], '\x1b') || !strings.Contains(lines[2], " revoked ") || !strings.Contains(lines[2], "2026-03-01 13:30") {
		t.Errorf("%q, %v", lines, err)
	}
	none, said := output(t)
	if err := none.printKeys(nil, false); err != nil || said() != "triptych: no keys; triptych key create makes the first\n" {
		t.Errorf("%q, %v", said(), err)
	}
	empty, text := output(t)
	if err := empty.printKeys(nil, true); err != nil || text() != "[]\n" {
		t.Errorf("%q, %v", text(), err)
	}
}

// A word is an id, or the name of one key alone; of those with the same name the one that
// works is meant.
func TestKeyID(t *testing.T) {
	store, err := keys.OpenFile(t.TempDir(), slog.New(slog.DiscardHandler), func() time.Time { return noon })
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }() // never fails
	create := func(name string) string {
		t.Helper()
		r, _, err := store.Create(t.Context(), keys.Live, keys.Settings{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		return r.ID
	}
	find := func(word string) string {
		id, err := keyID(t.Context(), store, word)
		if err != nil {
			return "error: " + err.Error()
		}
		return id
	}
	first, alone := create("team"), create("alone")
	if find("team") != first || find("alone") != alone || find(first) != first || find("other") != "other" {
		t.Errorf("%s, %s, %s, %s", find("team"), find("alone"), find(first), find("other"))
	}
	second := create("team")
	if got := find("team"); got != `error: 2 keys have the name "team"` {
		t.Error(got)
	}
	if _, err := store.Revoke(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if got := find("team"); got != second {
		t.Errorf("%s, want %s, which was not revoked", got, second)
	}
}

// Limits and times have a text for people where there are none.
func TestAmounts(t *testing.T) {
	if amount(0) != "any number of" || amount(12) != "12" || limit(0) != nil || *limit(7) != 7 {
		t.Error("a limit has another text")
	}
	if moment(time.Time{}) != "never" || moment(noon) != "2026-03-01 12:00" || side("all", []string{}) != "all" || side("all", []string{"a", "b"}) != "a b" {
		t.Error("a time or a list has another text")
	}
}

package keys_test

import (
	"bytes"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/transport/keys"
)

func openFile(t *testing.T, dir string, now func() time.Time) *keys.FileStore {
	t.Helper()
	s, err := keys.OpenFile(dir, quiet, now, all...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // never fails
	return s
}

func TestContractOnAFile(t *testing.T) {
	t.Parallel() // it waits
	contract(t, func(t *testing.T) opener {
		dir := filepath.Join(t.TempDir(), "data", "keys")
		return func(now func() time.Time) keys.Store { return openFile(t, dir, now) }
	})
}

// TestFileHoldsNoSecret: a reader of the folder gets no token, and only its
// owner reads it.
func TestFileHoldsNoSecret(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	s := openFile(t, dir, atNoon)
	r, first := create(t, s, keys.Settings{})
	_, second, err := s.Rotate(t.Context(), r.ID, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "keys.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range []keys.Token{first, second} {
		if bytes.Contains(text, []byte(token.Reveal()[14:])) {
			t.Error("the file holds a token")
		}
	}
	if !bytes.Contains(text, []byte(second.String())) {
		t.Error("the file does not tell which token it is")
	}
	for path, want := range map[string]fs.FileMode{dir: 0o700, filepath.Join(dir, "keys.json"): 0o600} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %#o, want %#o", path, got, want)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 3 { // keys.json, .lock and .gitignore
		t.Errorf("the folder holds %v, %v", left, err)
	}
}

// A journal collects what is logged.
type journal struct {
	mu   sync.Mutex
	text strings.Builder
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// brokenFiles are made out of a good one.
var brokenFiles = []struct {
	name  string
	text  func(good string) string
	about string // what the error says
}{
	{"empty", func(string) string { return "" }, "EOF"},
	{"cut off", func(good string) string { return good[:len(good)/2] }, "EOF"},
	{"not JSON", func(string) string { return "keys: []" }, "invalid character"},
	{"another version", func(good string) string { return strings.Replace(good, `"version": 1`, `"version": 2`, 1) }, "version 2"},
	{"no version", func(string) string { return "{}" }, "version 0"},
	{"more after it", func(good string) string { return good + "{}" }, "after the JSON object"},
	{"a typing error", func(good string) string {
		return strings.Replace(good, `"created"`, `"revokd": "2026-01-01T00:00:00Z", "created"`, 1)
	}, "revokd"},
	{"no scopes", func(good string) string { return strings.Replace(good, `"scopes"`, `"allow": null, "sscopes"`, 1) }, "sscopes"},
	{"null scopes", func(good string) string {
		before, after, _ := strings.Cut(good, `"scopes": [`)
		_, after, _ = strings.Cut(after, "]")
		return before + `"scopes": null` + after
	}, "scopes are not listed"},
	{"no plan", func(good string) string { return strings.Replace(good, `"free"`, `"FREE"`, 1) }, "is no plan"},
	{"short hash", func(good string) string { return strings.Replace(good, `"hash": "`, `"hash": "00`, 1) }, "64 hexadecimal digits"},
	{"bad range", func(good string) string {
		return strings.Replace(good, `"plan"`, `"allow": ["10.0.0.0/99"], "plan"`, 1)
	}, "10.0.0.0/99"},
}

// TestBrokenFile: a mistake in the file neither opens the door nor shuts
// anybody out, and is not made worse by a change.
func TestBrokenFile(t *testing.T) {
	for _, tt := range brokenFiles {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "keys.json")
			_, token := create(t, openFile(t, dir, atNoon), keys.Settings{})
			var log journal
			s, err := keys.OpenFile(dir, slog.New(slog.NewTextHandler(&log, nil)), atNoon)
			if err != nil {
				t.Fatal(err)
			}
			check(t, s, token, noon, nil)
			good, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			broken := tt.text(string(good))
			write(t, path, broken)
			unseen := keys.NewToken(keys.Live)
			check(t, s, unseen, noon, keys.ErrUnknown) // a look-up that asks again
			check(t, s, unseen, noon, keys.ErrUnknown)
			check(t, s, token, noon, nil)
			if n := strings.Count(log.String(), "not valid"); n != 1 || !strings.Contains(log.String(), tt.about) {
				t.Errorf("reported %d times, want once with %q: %s", n, tt.about, log.String())
			}
			if _, _, err := s.Create(t.Context(), keys.Live, keys.Settings{}); !errors.Is(err, keys.ErrUnavailable) {
				t.Errorf("Create: %v", err)
			}
			if text, err := os.ReadFile(path); err != nil || string(text) != broken {
				t.Errorf("the file was overwritten, %v", err)
			}
			if _, err := keys.OpenFile(dir, quiet, atNoon); !errors.Is(err, keys.ErrUnavailable) {
				t.Errorf("opening it: %v", err)
			}
			write(t, path, string(good))
			r, _ := create(t, s, keys.Settings{}) // mended
			if _, err := s.Get(t.Context(), r.ID); err != nil {
				t.Error(err)
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestFileThatOthersWrite: who can write the file could make keys.
func TestFileThatOthersWrite(t *testing.T) {
	dir := t.TempDir()
	create(t, openFile(t, dir, atNoon), keys.Settings{})
	path := filepath.Join(dir, "keys.json")
	for _, mode := range []fs.FileMode{0o602, 0o620, 0o666} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := keys.OpenFile(dir, quiet, atNoon); err == nil || !strings.Contains(err.Error(), "0600") {
			t.Errorf("mode %#o: %v", mode, err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := keys.OpenFile(dir, quiet, atNoon); err == nil {
		t.Error("a folder was taken for the file")
	}
}

// TestFileThatGoes: without a file no key is accepted.
func TestFileThatGoes(t *testing.T) {
	t.Parallel() // it waits
	dir := t.TempDir()
	s := openFile(t, dir, atNoon)
	_, token := create(t, s, keys.Settings{})
	check(t, s, token, noon, nil)
	if err := os.Remove(filepath.Join(dir, "keys.json")); err != nil {
		t.Fatal(err)
	}
	time.Sleep(keys.MaxAge) // the promise is about real time
	check(t, s, token, noon, keys.ErrUnknown)
}

// TestQuickChanges: changes that fall into one step of the file system's clock,
// with files of one size, are told apart.
func TestQuickChanges(t *testing.T) {
	t.Parallel() // it waits
	dir := t.TempDir()
	one, two := openFile(t, dir, atNoon), openFile(t, dir, atNoon)
	r, token := create(t, one, keys.Settings{})
	for range 200 {
		_, fresh, err := one.Rotate(t.Context(), r.ID, 0)
		if err != nil {
			t.Fatal(err)
		}
		check(t, two, fresh, noon, nil)
		check(t, two, token, noon, keys.ErrUnknown)
		token = fresh
	}
}

// TestSameLook: two states of a file that agree in size, time and inode are told
// apart while the time is near.
func TestSameLook(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "keys.json")
	s := openFile(t, dir, atNoon)
	r, _ := create(t, s, keys.Settings{})
	var tokens [2]keys.Token
	var texts [2]string
	for i := range tokens {
		_, token, err := s.Rotate(t.Context(), r.ID, 0)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		tokens[i], texts[i] = token, string(text)
	}
	if len(texts[0]) != len(texts[1]) {
		t.Fatal("the two states differ in size")
	}
	reader, at := openFile(t, dir, atNoon), time.Now()
	for i := range tokens {
		write(t, path, texts[i])
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		_, err := reader.Find(t.Context(), tokens[i])
		if time.Since(at) > 90*time.Millisecond {
			t.Skip("the machine is too slow to do this within a step of a clock")
		}
		if err != nil {
			t.Errorf("state %d: %v", i, err)
		}
	}
}

package personal

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/triptych-mcp/triptych/aoc/internal/site"
	"github.com/triptych-mcp/triptych/mcp/atomicfile"
)

// maxFile limits the size of a file that is read, in bytes.
const maxFile = 8 << 20

// A Config configures a [Folder].
type Config struct {
	// Dir is the folder. It is created when something is first written.
	Dir string
	// URL is the address of the site; "" means [site.DefaultURL].
	URL string
	// Shared permits a session from the environment and the files of other programs.
	// It must be false unless the user runs this process.
	Shared bool
	// Getenv returns environment variables.
	Getenv func(string) string
	// Throttle limits the rate of requests.
	Throttle site.Waiter
	// Now returns the current time.
	Now func() time.Time
}

// A Folder is one user's folder.
type Folder struct{ cfg Config }

// Open returns the folder. It reads and writes nothing yet.
func Open(cfg Config) *Folder { return &Folder{cfg} }

// Address returns the address of a puzzle's page, for a browser.
func (f *Folder) Address(p site.Puzzle) string {
	return fmt.Sprintf("%s/%d/day/%d", cmp.Or(f.cfg.URL, site.DefaultURL), p.Year, p.Day)
}

// SessionPath returns the path of the file for the session cookie.
func (f *Folder) SessionPath() string { return filepath.Join(f.cfg.Dir, "session") }

// Session returns the user's session and where it was found.
func (f *Folder) Session() (site.Session, string, error) {
	getenv := f.cfg.Getenv
	if !f.cfg.Shared {
		getenv = func(string) string { return "" }
	}
	return site.FindSession(f.SessionPath(), getenv)
}

// Login stores a session cookie. It contains secrets: the folder is made private.
func (f *Folder) Login(s site.Session) error {
	if err := f.makeDir(f.cfg.Dir); err != nil {
		return err
	}
	return s.Save(f.SessionPath())
}

// client returns a client with the user's session.
func (f *Folder) client() (*site.Client, error) {
	session, _, err := f.Session()
	if err != nil {
		return nil, err
	}
	return site.New(site.Config{URL: f.cfg.URL, Session: session, Throttle: f.cfg.Throttle, Now: f.cfg.Now}), nil
}

func (f *Folder) year(year int) string { return filepath.Join(f.cfg.Dir, fmt.Sprint(year)) }

func (f *Folder) day(p site.Puzzle) string {
	return filepath.Join(f.year(p.Year), fmt.Sprintf("day%02d", p.Day))
}

// ignore is the .gitignore of a user's folder: the site asks that nothing of it is
// published.
const ignore = "# Puzzle texts and inputs must not be published (adventofcode.com/about).\n*\n"

// makeDir creates a folder below f's, and f with its .gitignore.
func (f *Folder) makeDir(dir string) error {
	if err := os.MkdirAll(f.cfg.Dir, 0o700); err != nil {
		return err
	}
	path := filepath.Join(f.cfg.Dir, ".gitignore")
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		if err := atomicfile.Write(path, []byte(ignore), 0o600); err != nil {
			return err
		}
	}
	return os.MkdirAll(dir, 0o700)
}

// lock excludes other goroutines and processes from a folder until unlock is called.
func (f *Folder) lock(ctx context.Context, dir string) (unlock func(), err error) {
	if err := f.makeDir(dir); err != nil {
		return nil, err
	}
	l := flock.New(filepath.Join(dir, ".lock"))
	if _, err := l.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return nil, fmt.Errorf("waiting for another process that uses the site: %w", err)
	}
	return func() { _ = l.Close() }, nil // closing unlocks
}

// read reads a file; a missing one is [fs.ErrNotExist].
func read(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // nothing was written
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s exceeds %d bytes", filepath.Base(path), maxFile)
	}
	return data, err
}

// readJSON reads a JSON file into v and reports whether it exists.
func readJSON(path string, v any) (bool, error) {
	data, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		return false, fmt.Errorf("%s: %w; rename it to start over", filepath.Base(path), err)
	}
	return true, nil
}

func writeJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(path, append(data, '\n'), 0o600)
}

package audit

import (
	"cmp"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/gofrs/flock"
)

// A Config says where a trail of files is and how long it is kept.
type Config struct {
	// Dir holds the signing key and a folder for each chain. It is made with
	// the first record.
	Dir string
	// Now is the clock; nil means [time.Now].
	Now func() time.Time
	// Logger hears of repairs and failures; nil means nobody does.
	Logger *slog.Logger
	// MaxFile is the size in bytes at which a new file is begun; 0 means
	// 64 MiB.
	MaxFile int64
	// KeepFiles is how many files of a chain are kept when a new one is
	// begun, the new one included; 0 means all.
	KeepFiles int
	// KeepFor is how long records are kept at least; files whose last record
	// is older go when a new one is begun, which then happens four times in
	// that span. 0 means for ever.
	KeepFor time.Duration
}

// defaultMaxFile is the size at which a new file is begun.
const defaultMaxFile = 64 << 20

// New returns the log of a folder. Nothing is read or written yet: a process
// that records nothing leaves nothing behind.
func New(cfg Config) *Log {
	k := newFiles(cfg)
	return newLog(k, k.cfg.Now, k.cfg.Logger)
}

// files keeps chains in a folder.
type files struct{ cfg Config }

func newFiles(cfg Config) *files {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	cfg.MaxFile = cmp.Or(cfg.MaxFile, defaultMaxFile)
	return &files{cfg: cfg}
}

// Names in the folder of a trail and of a chain.
const (
	headFile   = "head"
	lockFile   = "lock"
	fileSuffix = ".jsonl"
)

var (
	chainName = regexp.MustCompile(`^[0-9a-f]{16}$`)
	fileName  = regexp.MustCompile(`^[0-9]{6,}\.jsonl$`)
)

// newID is a name for a chain.
func newID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// ids are the names of the chains of a folder, none when it is not there.
func (k *files) ids() ([]string, error) {
	entries, err := os.ReadDir(k.cfg.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var ids []string
	for _, e := range entries {
		if e.IsDir() && chainName.MatchString(e.Name()) {
			ids = append(ids, e.Name())
		}
	}
	return ids, nil
}

// claim goes on with a chain that no process adds to, or begins one. A chain
// that does not end as it should stays as it is, for people to look at.
func (k *files) claim(now time.Time) (*chain, medium, error) {
	if err := os.MkdirAll(k.cfg.Dir, 0o700); err != nil {
		return nil, nil, err
	}
	key, err := loadKey(k.cfg.Dir)
	if err != nil {
		return nil, nil, err
	}
	ids, err := k.ids()
	if err != nil {
		return nil, nil, err
	}
	for _, id := range ids {
		lock := k.lock(filepath.Join(k.cfg.Dir, id))
		if ok, err := lock.TryLock(); err != nil || !ok {
			continue
		}
		c := &chain{id: id, key: key}
		w, err := k.resume(c, lock)
		if err == nil {
			return c, w, nil
		}
		k.cfg.Logger.Warn("audit chain does not end as it should; another is used", "chain", id, "err", err)
		_ = lock.Close() // nothing was changed
	}
	return k.create(key, now)
}

func (k *files) lock(dir string) *flock.Flock {
	return flock.New(filepath.Join(dir, lockFile), flock.SetPermissions(0o600))
}

// create begins a chain. Its folder appears with a first file, a head, and our
// lock.
func (k *files) create(key ed25519.PrivateKey, now time.Time) (_ *chain, _ medium, err error) {
	tmp, err := os.MkdirTemp(k.cfg.Dir, ".new-") // mode 0700
	if err != nil {
		return nil, nil, err
	}
	c := &chain{id: newID(), key: key}
	w := &fileWriter{keeper: k, dir: tmp, lock: k.lock(tmp), number: 1, first: 1, began: now}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.close(), os.RemoveAll(tmp))
		}
	}()
	if _, err = w.lock.TryLock(); err != nil {
		return nil, nil, err
	}
	if err = w.begin(c, now); err != nil {
		return nil, nil, err
	}
	w.dir = filepath.Join(k.cfg.Dir, c.id)
	if err = errors.Join(os.Rename(tmp, w.dir), syncDir(k.cfg.Dir)); err != nil {
		return nil, nil, err
	}
	return c, w, nil
}

// begin writes the first lines of a chain, its first file and its head.
func (w *fileWriter) begin(c *chain, now time.Time) (err error) {
	if w.file, err = os.OpenFile(w.path(1), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		return err
	}
	if w.head, err = os.OpenFile(filepath.Join(w.dir, headFile), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		return err
	}
	g := &group{data: c.add(nil, c.header(1, now).body())}
	g.finish(c, now)
	if err := w.write(g); err != nil {
		return err
	}
	return errors.Join(w.head.Sync(), syncDir(w.dir))
}

// numbers are the numbers of the files of a chain, ascending.
func numbers(dir string) ([]int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []int
	for _, e := range entries {
		var n int
		if !fileName.MatchString(e.Name()) {
			continue
		}
		if _, err := fmt.Sscanf(e.Name(), "%d"+fileSuffix, &n); err == nil {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return all, nil
}

func numbered(dir string, n int) string {
	return filepath.Join(dir, fmt.Sprintf("%06d%s", n, fileSuffix))
}

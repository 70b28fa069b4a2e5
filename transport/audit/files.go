package audit

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/triptych-mcp/triptych/mcp/atomicfile"
	"github.com/triptych-mcp/triptych/transport/audit/internal/keyfile"
	"github.com/triptych-mcp/triptych/transport/internal/private"
)

// A Config says where a trail of files is and for how long its records stay.
type Config struct {
	// Dir holds the signing key and a folder for each chain. It is made with
	// the first record. A symbolic link is refused.
	Dir string
	// Always makes [Log.Write] sync, and signs the head at every sync.
	Always bool
	// Now is the clock; nil means [time.Now].
	Now func() time.Time
	// Logger gets a line for each recovery and failure; nil discards them.
	Logger *slog.Logger
	// MaxFile is the size in bytes at which a new file is begun; 0 means
	// 64 MiB.
	MaxFile int64
	// KeepFiles is the number of files of a chain that stay when a new one is begun, the
	// new one included; 0 means all.
	KeepFiles int
	// KeepFor is the least time that records stay; files whose last record is
	// older are deleted when a new one is begun, two at most, which then happens four
	// times in that span. 0 means for ever.
	KeepFor time.Duration
}

// defaultMaxFile is the size at which a new file is begun, where the configuration has none.
// Some 200,000 records fit in.
const defaultMaxFile = 64 << 20

// New returns the log of a folder. Nothing is read or written yet: a process that records
// nothing leaves nothing behind. Close it in the end, also if nothing was recorded.
func New(cfg Config) *Log {
	k := newFiles(cfg)
	return newLog(k, k.cfg.Now, k.cfg.Logger, k.cfg.Always)
}

// files is the backend that stores chains in a folder. Any number of processes may use the
// folder: the flock(2) lock of a chain's file "lock" says that a process adds to it, and ends
// with the process.
type files struct {
	cfg      Config
	syncData func(*os.File) error // fdatasync(2); tests replace it
}

// newFiles returns the backend of a configuration, with defaults for what is zero.
func newFiles(cfg Config) *files {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	cfg.MaxFile = cmp.Or(cfg.MaxFile, defaultMaxFile)
	return &files{cfg: cfg, syncData: atomicfile.SyncData}
}

// ids returns the names of the chains of a folder, in order, none when it does not exist.
// Folders with other names, such as those of chains that are being made, are ignored.
func (k *files) ids() ([]string, error) {
	if err := k.checkDir(); err != nil {
		return nil, err
	}
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

// checkDir refuses a folder that is a symbolic link: who may make links beside the trail could
// lead the signing key elsewhere. A folder that does not exist is fine.
func (k *files) checkDir() error {
	info, err := os.Lstat(k.cfg.Dir)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("%s is a symbolic link; the audit trail needs a folder", k.cfg.Dir)
	}
	return nil
}

// claimTries limits how often a chain is made that another process then takes.
const claimTries = 10

// claim implements [backend]. It goes on with a chain that no process adds to, so that the
// number of chains is that of the processes that have run at the same time, or makes one and
// takes that, unless another process is faster.
func (k *files) claim(now time.Time) (*chain, medium, error) {
	if err := k.checkDir(); err != nil {
		return nil, nil, err
	}
	if err := private.MakeDir(k.cfg.Dir); err != nil {
		return nil, nil, err
	}
	s, err := loadSigner(k.cfg.Dir)
	if err != nil {
		return nil, nil, err
	}
	var left []string // before a chain was made
	for range claimTries {
		ids, err := k.ids()
		if err != nil {
			return nil, nil, err
		}
		c, w, compromised := k.take(ids, s, now)
		if w != nil {
			w.nameOthers(ids, now)
			w.notes = append(w.notes, notesOfLeft(left, now)...)
			return c, w, nil
		}
		left = compromised
		if err := k.create(s, now); err != nil {
			return nil, nil, err
		}
	}
	return nil, nil, errors.New("other processes took every chain that was made")
}

// take locks the first chain that can go on, nil when there is none. A chain that does not end
// as it should stays as it is, for people to look at, and its lock is released; compromised
// has those whose end only a compromised key has signed.
func (k *files) take(ids []string, s *signer, now time.Time) (_ *chain, _ *fileWriter, compromised []string) {
	for _, id := range ids {
		lock := flock.New(filepath.Join(k.cfg.Dir, id, lockFile), flock.SetPermissions(0o600))
		if ok, err := lock.TryLock(); err != nil || !ok {
			continue
		}
		c := &chain{id: id, signer: s}
		w, err := k.resume(c, lock, now)
		if err == nil {
			return c, w, compromised
		}
		if errors.Is(err, errCompromised) {
			compromised = append(compromised, id)
		}
		k.cfg.Logger.Warn("audit chain does not end as it should; another is used", "chain", id, "err", err)
		_ = lock.Close() // nothing was changed
	}
	return nil, nil, compromised
}

// maxNamed limits the other chains that a chain names, and so the length of the line.
const maxNamed = 100

// nameOthers makes the next record come after a note of the other chains. It does not write
// the note itself: a process that records nothing changes nothing.
func (w *fileWriter) nameOthers(ids []string, now time.Time) {
	own := filepath.Base(w.dir)
	others := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == own })
	if len(others) > 0 {
		w.notes = append(w.notes, note{Chains: &chainsNote{IDs: others[:min(len(others), maxNamed)], Time: formatTime(now)}})
	}
}

// notesOfLeft returns the note of a new chain that says which chains are left as they are
// because only a compromised key has signed their end, none if there are no such chains.
func notesOfLeft(left []string, now time.Time) []note {
	if len(left) == 0 {
		return nil
	}
	return []note{{Chains: &chainsNote{IDs: left[:min(len(left), maxNamed)], Time: formatTime(now), Left: errCompromised.Error()}}}
}

// create makes a chain without records, for claim to take. It is made in a temporary folder
// and renamed, so that a chain has its first line, a signed head and the file of that from the
// moment in which others can see it.
func (k *files) create(s *signer, now time.Time) error {
	k.sweep(now)
	tmp, err := os.MkdirTemp(k.cfg.Dir, keyfile.TempPrefix) // mode 0700
	if err != nil {
		return err
	}
	c := &chain{id: newID(), signer: s}
	g := &group{data: c.add(nil, note{File: c.header(1, now)}.body())}
	g.sign(c, now)
	err = errors.Join(writeSynced(numbered(tmp, 1), g.data), writeSynced(filepath.Join(tmp, headFile), padded(g.head)), atomicfile.SyncDir(tmp))
	if err == nil {
		err = os.Rename(tmp, filepath.Join(k.cfg.Dir, c.id))
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(tmp))
	}
	return atomicfile.SyncDir(k.cfg.Dir)
}

// sweep removes what processes did not finish that were killed long ago: chains that were
// made, and keys. An hour is far longer than making either takes.
func (k *files) sweep(now time.Time) {
	entries, _ := os.ReadDir(k.cfg.Dir) // an error shows when the chains are read
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && strings.HasPrefix(e.Name(), keyfile.TempPrefix) && now.Sub(info.ModTime()) > time.Hour {
			_ = os.RemoveAll(filepath.Join(k.cfg.Dir, e.Name())) // it does no harm
		}
	}
}

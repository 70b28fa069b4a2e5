package audit

import (
	"context"
	"crypto/ed25519"
	"iter"
	"os"
	"time"
)

// A backend stores chains: files in a folder, or streams in a store. Its methods may be called
// from any goroutine.
type backend interface {
	// claim finds or makes a chain that no other process adds to, and checks and repairs its
	// end. The chain stays the caller's until the medium is closed.
	claim(now time.Time) (*chain, medium, error)
	// chains returns all chains in order of id.
	chains(ctx context.Context) ([]stored, error)
	// trusted returns what signed heads are trusted with: the keys, or those of the backend if
	// there are none, and the heads that they attest.
	trusted(keys []ed25519.PublicKey) (trust, error)
	// renewedSigner returns the signer that has replaced another, nil if none has.
	renewedSigner(s *signer) (*signer, error)
	// began reports whether a chain has ever been made here, as far as that can be told
	// without the chains. A trail that began and has no chain was deleted.
	began() bool
}

// A medium stores the lines of one chain, for the [Log] that claimed it. Its methods are
// called with the Log's lock writing held, except sync. None is called after close.
type medium interface {
	// preface returns the notes that come before the records of the next group, and forgets
	// them: the caller must add them.
	preface(c *chain, now time.Time) []note
	// write stores a group so that it survives this process: all of it, or an error. After a
	// failure the same group is passed again, and may turn out to be there already. A store
	// may change the group and the chain, where others have changed what is stored.
	write(g *group, c *chain) error
	// mark returns the end of what was written.
	mark() mark
	// sync makes all lines up to a mark survive a power cut. It is called with
	// the Log's lock syncing held: writes may go on meanwhile.
	sync(m mark) error
	// confirm is called after a successful sync with its mark. Only then may what the trail
	// says is deleted be deleted.
	confirm(m mark)
	// publish stores a signed head, whose line is synced, outside the chain. Without it, a
	// chain whose end was cut off looks like one that was never longer.
	publish(head []byte) error
	// rewrite stores all lines again that were not confirmed, followed by an
	// unwritten group, nil if there is none, and syncs them.
	rewrite(c *chain, unwritten *group, now time.Time) error
	// isFull reports whether a new file is due, and rotate makes the next record
	// begin it. All lines must be synced and signed before that.
	isFull(now time.Time) bool
	rotate()
	// unsynced returns the number of bytes after the last confirmed mark, which the medium
	// holds in memory to rewrite them.
	unsynced() int
	// close ends the claim. What is not synced by then may be lost.
	close() error
}

// A mark is a place in the files of a chain up to which lines are written. It is taken with
// writing held and stays valid while others write: a sync up to it may run meanwhile.
type mark struct {
	file     *os.File
	number   int
	size     int64
	end      point
	unlisted bool
	chain    string // in a store
}

// A stored chain is one that can be read, also while others add to it.
type stored interface {
	id() string
	// flush syncs what other processes have written, where that is possible, so that a report
	// holds after a power cut, too.
	flush() error
	// head returns the last signed head that was published, as its line without newline;
	// errHead if there is none that could be one. Whether it is signed is for the caller to
	// check.
	head(ctx context.Context) ([]byte, error)
	// lines yields all lines in order, among them an unfinished one at the end. An error is
	// the last.
	lines(ctx context.Context) iter.Seq2[place, error]
	// linesFrom yields the lines from one of a file or stream on, and those of later files. A
	// file that was deleted is skipped.
	linesFrom(ctx context.Context, file string, line int) iter.Seq2[place, error]
	// matching yields at least the lines of the records that a filter chooses, in order.
	// Others may be among them: an index need not be exact.
	matching(ctx context.Context, f *Filter) iter.Seq2[place, error]
}

// A place is a line and where it stands.
type place struct {
	file string
	line int    // from 1 on
	text []byte // without its newline; good until the next one
	open bool   // its newline is missing
}

package webhook

import (
	"context"
	"errors"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A Record holds the revision of each ruleset that a URL was told of. All processes that
// send to the URL share it, and one of them at a time leads: only that one may call the
// other methods, within Lead.
type Record interface {
	// Lead waits until no other process leads, then calls deliver. The context of deliver
	// ends before another process may lead. Lead waits again where another process took
	// over; it returns the error of deliver if that ends by itself, or when ctx is done.
	Lead(ctx context.Context, deliver func(ctx context.Context) error) error
	// Known returns the revisions, nil if Begin was never called.
	Known(ctx context.Context) (map[ruleset.Name]int, error)
	// Begin records the revisions that the URL is not told of, since they were there before.
	Begin(ctx context.Context, known map[ruleset.Name]int) error
	// Accepted records a message that the URL has accepted.
	Accepted(ctx context.Context, m Message) error
	// Signer records the id of the secret that signs from now on, and returns the one
	// before, "" if there is none.
	Signer(ctx context.Context, id string) (before string, err error)
	Close() error
}

// errLostLease reports that another process may lead.
var errLostLease = errors.New("another server sends the messages now")

// lockEvery is the interval at which a process that waits tries to lead.
const lockEvery = time.Second

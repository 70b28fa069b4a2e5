package bearer

import (
	"context"
	"time"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/quota"
)

// A Verifier verifies access tokens and returns their owners. The error for a bad token
// is an [InvalidTokenError]; another error means that it cannot verify now. Verify may be
// called from any goroutine and returns when ctx is done.
type Verifier interface {
	Verify(ctx context.Context, token string) (Identity, error)
}

// An Identity is the owner of an access token.
type Identity struct {
	ID     string       // stable and unique, no secret
	Scopes []host.Scope // never nil, which would mean all
	Plan   quota.Plan
	Limits quota.Limits
	// Key is the id of the key that the owner has by a rule; "" for the rights of the token.
	Key string
	// Expires is the time at which the token expires.
	Expires time.Time
}

// An InvalidTokenError reports a bad access token.
type InvalidTokenError struct {
	Reason  string // for the client
	Expired bool
	Cause   error // for the log; nil when the reason says it all
}

// Error returns the reason, which the client sees; Cause is for the log.
func (e *InvalidTokenError) Error() string { return e.Reason }

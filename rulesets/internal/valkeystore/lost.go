package valkeystore

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A connection may end after the server has made a change and before its answer came. Every
// change has a token, which its revision or its move has, too. A change whose answer is lost
// is sent again with the same token and finds what it has made.

const (
	// changeTries limits how often a change is sent.
	changeTries = 3
	// tokenReach is the index of the first of the newest revisions that are searched for a
	// token: as many as others may add between two tries.
	tokenReach = "-32"
)

// newToken returns the token of a change.
func newToken() string { return rand.Text() }

// isLost reports whether a command failed in such a way that the server may have run it.
func isLost(err error) bool {
	if _, isReply := errors.AsType[redis.Error](err); isReply || err == nil {
		return false
	}
	if failed, ok := errors.AsType[*net.OpError](err); ok && failed.Op == "dial" {
		return false // it was not sent
	}
	return !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}

// runChange runs the script of a change, again if its answer is lost. The argument at
// againArg says then that it was sent before.
func (s *Store) runChange(ctx context.Context, script *redis.Script, keys []string, args ...any) *redis.Cmd {
	for try := 1; ; try++ {
		cmd := script.Run(ctx, once{s.client}, keys, args...)
		if try == changeTries || !isLost(cmd.Err()) || ctx.Err() != nil {
			return cmd
		}
		args[againArg] = "1"
	}
}

// hasMade reports whether a batch whose answer is lost was applied. Its revisions and moves
// have the token, and those of one ruleset stand for all.
func hasMade(ctx context.Context, tx *redis.Tx, s *Store, effects []*ruleset.Effect, token string) (bool, error) {
	for _, e := range effects {
		key := s.key.history(e.Name)
		switch {
		case len(e.Revisions) == 0 && len(e.Moves) == 0:
			continue
		case len(e.Revisions) == 0:
			key = s.key.labels(e.Name)
		}
		lines, err := tx.Do(ctx, "LRANGE", key, tokenReach, "-1").StringSlice()
		if err != nil {
			return false, err
		}
		for _, line := range lines {
			var r struct {
				Token string `json:"token"`
			}
			if json.Unmarshal([]byte(line), &r) == nil && r.Token == token {
				return true, nil
			}
		}
		return false, nil
	}
	return true, nil // there was nothing to make
}

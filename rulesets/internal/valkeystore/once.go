package valkeystore

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// once runs scripts that change something. The client of a cluster sends any
// command again whose answer got lost, whatever noRetries says; it follows a key
// that has moved, but asks for a onceCmd a single time.
type once struct{ redis.UniversalClient }

// Eval implements [redis.Scripter].
func (c once) Eval(ctx context.Context, script string, keys []string, args ...any) *redis.Cmd {
	return c.run(ctx, "eval", script, keys, args)
}

// EvalSha implements [redis.Scripter].
func (c once) EvalSha(ctx context.Context, sha string, keys []string, args ...any) *redis.Cmd {
	return c.run(ctx, "evalsha", sha, keys, args)
}

func (c once) run(ctx context.Context, verb, script string, keys []string, args []any) *redis.Cmd {
	words := make([]any, 0, firstKey+len(keys)+len(args))
	words = append(words, verb, script, len(keys))
	for _, key := range keys {
		words = append(words, key)
	}
	cmd := onceCmd{redis.NewCmd(ctx, append(words, args...)...)}
	cmd.SetFirstKeyPos(firstKey)
	_ = c.Process(ctx, cmd) // the command has its error
	return cmd.Cmd
}

// firstKey is the index of the first key among the arguments of EVAL.
const firstKey = 3

// A onceCmd is not sent again when its answer got lost.
type onceCmd struct{ *redis.Cmd }

// NoRetry implements [redis.Cmder].
func (onceCmd) NoRetry() bool { return true }

package app

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
)

// A storeHook measures the requests to the store, and makes them spans of the request that they
// are for.
type storeHook struct{ r *Recorder }

// Watch counts the requests of a client of the store in the metrics and sends their spans. It is
// called before the client is used.
func (r *Recorder) Watch(client redis.UniversalClient) {
	if client != nil && r.metrics != nil {
		client.AddHook(storeHook{r})
	}
}

// DialHook implements [redis.Hook].
func (storeHook) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook implements [redis.Hook].
func (h storeHook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		return h.around(ctx, cmd.FullName(), waits(cmd), func(ctx context.Context) error { return next(ctx, cmd) })
	}
}

// ProcessPipelineHook implements [redis.Hook].
func (h storeHook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, all []redis.Cmder) error {
		return h.around(ctx, "pipeline", slices.ContainsFunc(all, waits), func(ctx context.Context) error { return next(ctx, all) })
	}
}

// around measures a request unless the store is to wait before it answers.
func (h storeHook) around(ctx context.Context, name string, waits bool, run func(context.Context) error) error {
	if waits {
		return run(ctx)
	}
	ctx, end := h.r.telemetry.StartStore(ctx, name)
	began := time.Now()
	err := run(ctx)
	failed := isStoreFailure(err)
	h.r.metrics.Stored(time.Since(began), failed)
	end(failed)
	return err
}

// waiting are the commands that the store answers when something has happened.
var waiting = []string{"blpop", "waitaof", "wait", "xread", "xreadgroup"}

func waits(cmd redis.Cmder) bool { return slices.Contains(waiting, cmd.Name()) }

// isStoreFailure reports whether an error is one of the store: that there is no such key, or not
// yet such a script, is none, and neither is a caller that does not wait.
func isStoreFailure(err error) bool {
	return err != nil && !errors.Is(err, redis.Nil) && !redis.HasErrorPrefix(err, "NOSCRIPT") &&
		!errors.Is(err, redis.TxFailedErr) && !errors.Is(err, context.Canceled)
}

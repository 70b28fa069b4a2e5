package recorder

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

// StoreHook returns a hook that counts requests to the store in the metrics and sends their spans.
func (r *Recorder) StoreHook() redis.Hook { return storeHook{r} }

// DialHook implements [redis.Hook].
func (storeHook) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook implements [redis.Hook].
func (h storeHook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		return h.around(ctx, cmd.FullName(), isApart(cmd), func(ctx context.Context) error { return next(ctx, cmd) })
	}
}

// ProcessPipelineHook implements [redis.Hook].
func (h storeHook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, all []redis.Cmder) error {
		return h.around(ctx, "pipeline", slices.ContainsFunc(all, isApart), func(ctx context.Context) error { return next(ctx, all) })
	}
}

// around measures a request, unless it is one apart.
func (h storeHook) around(ctx context.Context, name string, apart bool, run func(context.Context) error) error {
	if apart {
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

// apart are the commands that are not measured: the store answers the first when something has
// happened, and the last begin connections, where older stores do not know some of them.
var apart = []string{"blpop", "waitaof", "wait", "xread", "xreadgroup", "hello", "client"}

// isApart reports whether a command is not measured.
func isApart(cmd redis.Cmder) bool { return slices.Contains(apart, cmd.Name()) }

// isStoreFailure reports whether an error is one of the store: that there is no such key, or not
// yet such a script, is none, and neither is a caller that does not wait.
func isStoreFailure(err error) bool {
	return err != nil && !errors.Is(err, redis.Nil) && !redis.HasErrorPrefix(err, "NOSCRIPT") &&
		!errors.Is(err, redis.TxFailedErr) && !errors.Is(err, context.Canceled)
}

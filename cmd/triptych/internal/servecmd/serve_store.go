package servecmd

import (
	"context"
	"errors"
	"log/slog"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/rulesets/valkeyconn"
)

// checkStoreAtStart logs what is wrong with the server of the stores. It returns an error
// if nothing would work.
func checkStoreAtStart(ctx context.Context, client redis.UniversalClient, prefix string, log *slog.Logger) error {
	for _, p := range valkeyconn.Examine(ctx, client, prefix) {
		if p.Level == valkeyconn.Fatal {
			return cmderr.WithHints(errors.New("the store cannot be used: "+p.Detail), p.Hint)
		}
		level := slog.LevelInfo
		if p.Level == valkeyconn.Warning {
			level = slog.LevelWarn
		}
		log.Log(ctx, level, "the store: "+p.Detail, "component", "store", "hint", p.Hint) //nolint:sloglint // the problem is the message
	}
	return nil
}

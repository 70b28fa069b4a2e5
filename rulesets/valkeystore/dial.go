package valkeystore

import (
	"context"
	"log/slog"

	"github.com/redis/go-redis/v9"
)

// Dial makes a client for a URL that [Serves], and sees whether the server
// answers: for parts of the program other than rulesets that keep something on
// the same server. Close it. No error shows the password.
func Dial(ctx context.Context, url string, log *slog.Logger) (redis.UniversalClient, error) {
	client, _, err := connect(ctx, url, log)
	return client, err
}

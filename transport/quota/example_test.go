package quota_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"time"

	"github.com/triptych-mcp/triptych/transport/quota"
)

// Requests are granted until the limit of the minute is reached.
func Example() {
	dir, err := os.MkdirTemp("", "quota")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx := context.Background()
	meter, err := quota.OpenLocal(ctx, dir, slog.New(slog.DiscardHandler))
	if err != nil {
		log.Fatal(err)
	}
	limits := quota.Limits{Month: 1000, Minute: 2}
	now := time.Date(2026, 2, 27, 12, 0, 30, 0, time.UTC)
	for range 3 {
		usage, err := meter.Take(ctx, "key_4f7c2m9xq0", limits, now)
		if exceeded, ok := errors.AsType[*quota.ExceededError](err); ok {
			fmt.Println("refused:", exceeded)
			continue
		}
		fmt.Println(usage.Month.Remaining(), usage.Minute.Remaining(), err)
	}
	if err := meter.Close(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 999 1 <nil>
	// 998 0 <nil>
	// refused: 2 of 2 requests of this minute are used; the next begins at 2026-02-27T12:01:00Z
}

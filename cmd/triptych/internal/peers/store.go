package peers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// storeWait limits one request to the store. Tests on a busy machine give it more.
var storeWait = 2 * time.Second

// ownerOf returns the part of keys that stands for a principal, which keeps them in one
// slot of a cluster.
func ownerOf(principal string) string {
	sum := sha256.Sum256([]byte(principal))
	return "{" + hex.EncodeToString(sum[:8]) + "}"
}

// listen passes the messages of other servers on a channel to deliver until ctx is done.
// A message is the sender, a space and the event; those of self are left out. The client
// library subscribes again when a connection breaks.
func listen(ctx context.Context, client redis.UniversalClient, channel, self string, deliver func(event string)) {
	subscription := client.Subscribe(ctx, channel)
	defer func() { _ = subscription.Close() }() // nothing to lose
	messages := subscription.Channel()
	for {
		select {
		case <-ctx.Done():
			return
		case m, ok := <-messages:
			if !ok {
				return
			}
			if sender, event, ok := strings.Cut(m.Payload, " "); ok && sender != self {
				deliver(event)
			}
		}
	}
}

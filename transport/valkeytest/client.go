package valkeytest

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// Client is a client of the server at that URL that tries nothing twice. It ends
// with the test.
func Client(t testing.TB, url string) *redis.Client {
	t.Helper()
	options, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	options.MaxRetries, options.DialerRetries, options.DialTimeout = -1, 1, 20*time.Second
	options.ReadTimeout, options.WriteTimeout = 20*time.Second, 20*time.Second // a busy machine may stand still
	client := redis.NewClient(options)
	t.Cleanup(func() { _ = client.Close() }) // its server ends anyhow
	return client
}

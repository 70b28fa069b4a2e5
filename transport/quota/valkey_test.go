package quota_test

import (
	"fmt"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/transport/quota"
)

func dial(t *testing.T, url string) *redis.Client {
	t.Helper()
	options, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	t.Cleanup(func() { _ = client.Close() }) // its server ends anyhow
	return client
}

func TestContractOnAFake(t *testing.T) {
	contract(t, func(t *testing.T) func() quota.Meter {
		url := "redis://" + miniredis.RunT(t).Addr()
		return func() quota.Meter { return quota.NewValkey(dial(t, url)) }
	})
}

func TestContractOnAServer(t *testing.T) {
	server, db := start(t), 0
	contract(t, func(t *testing.T) func() quota.Meter {
		url := fmt.Sprintf("redis://%s/%d", server, db)
		db++ // a new, empty one
		return func() quota.Meter { return quota.NewValkey(dial(t, url)) }
	})
}

package attack_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// spend has clients ask again and again, and returns how many requests were
// granted.
func spend(t *testing.T, s *server, token string, clients, each int) int64 {
	t.Helper()
	var granted atomic.Int64
	var wg sync.WaitGroup
	for i := range clients {
		c := s.client(t, token, "", i%2 == 0)
		wg.Go(func() {
			for range each {
				r, err := c.try(context.Background(), "POST", list)
				switch {
				case err != nil:
					t.Error(err)
				case r.status == 200:
					granted.Add(1)
				case r.status != 429 || r.code() != -32002 || r.header.Get("Retry-After") == "" || r.Error.Data.Used != r.Error.Data.Limit:
					t.Errorf("got %d %s, want 429 with -32002", r.status, r.text)
				}
			}
		})
	}
	wg.Wait()
	return granted.Load()
}

// Exactly as many requests are granted as a plan has, however many clients ask
// at one time, and a server that is killed does not forget.
func TestQuota(t *testing.T) {
	data := t.TempDir()
	_, token := key(t, data, "--plan", "enterprise", "--month", "700", "--minute", "0")
	_, free := key(t, data, "--plan", "free")
	s := start(t, data)
	if now := time.Now(); now.Second() > 45 {
		time.Sleep(time.Until(now.Truncate(time.Minute).Add(time.Minute))) // the plan's minute shall not end meanwhile
	}
	if got := spend(t, s, free, 8, 4); got != 10 {
		t.Errorf("plan free: %d of 10 a minute granted", got)
	}
	if got := spend(t, s, token, 4, 50); got != 200 {
		t.Fatalf("%d of 200 granted, and 700 are left", got)
	}
	s.kill()
	s = start(t, data)
	if got := spend(t, s, token, 64, 10); got != 500 {
		t.Errorf("%d granted after kill -9, want the 500 that were left", got)
	}
	s.kill()
	s = start(t, data)
	if got := spend(t, s, token, 4, 5); got != 0 {
		t.Errorf("%d granted when none is left", got)
	}
	c := s.client(t, token, "", true)
	c.post(t, ping).is(t, "ping, which is free", 200, 0)
	c.post(t, line("initialize", "{}")).is(t, "initialize, which is free", 200, 0)
	c.post(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`).is(t, "a notification, which is free", 202, 0)
}

package attack_test

import "testing"

// maxBody is the limit of the server under siege: less than usual, so that
// attacks with too much are quick.
const maxBody = "1000000"

// TestSiege attacks one server in every way, beside a good client with a key of its own, and
// looks at it afterwards.
func TestSiege(t *testing.T) {
	data := t.TempDir()
	_, token := key(t, data)
	_, own := key(t, data)
	s := start(t, data, "--max-body", maxBody)
	memory := s.watch(t)
	beside := s.bystander(t, own)
	honest := s.client(t, token, "", true)
	greet := func() { honest.post(t, list).is(t, "an honest request", 200, 0) }
	for range 20 {
		greet() // so that what is made once is there
	}
	before := s.look(t)
	attacks := []struct {
		name   string
		attack func(t *testing.T, s *server, token string)
	}{
		{"no good key", noGoodKey},
		{"a key from elsewhere", foreignAddress},
		{"a key that expires", expiry},
		{"a key that is revoked", revocation},
		{"a key with few rights", fewRights},
		{"forged names", forgedNames},
		{"headers", badHeaders},
		{"too much", tooMuch},
		{"smuggling", smuggling},
		{"guesses", guessing},
		{"broken HTTP/2", brokenHTTP2},
		{"too many sessions", manySessions},
		{"half-closed sockets", halfClosed},
		{"broken TLS", brokenTLS},
		{"somebody else's session", foreignSession},
		{"somebody else's cursor", foreignCursor},
		{"somebody else's work", foreignWork},
		{"streams and their ends", abandonedStreams},
		{"slow clients", slowClients},
	}
	for _, tc := range attacks {
		memory.peak()
		if !t.Run(tc.name, func(t *testing.T) {
			tc.attack(t, s, token)
			t.Logf("at most %d MiB", memory.peak()>>20)
			beside.check(t)
		}) {
			t.Errorf("%s: failed", tc.name)
		}
		greet()
	}
	honest.CloseIdleConnections()
	s.settles(t, before, greet)
}

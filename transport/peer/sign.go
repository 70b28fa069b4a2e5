package peer

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Header is the header of a request that a server has passed on.
const Header = "Triptych-Peer"

// fresh limits the age of a header. The clocks of servers differ.
const fresh = time.Minute

// A Key authenticates what servers send to each other. It remembers which headers were
// used.
type Key struct {
	key [32]byte

	mu       sync.Mutex
	used     map[string]struct{} // in the current period of 2 × fresh
	usedLast map[string]struct{} // in the one before
	turned   time.Time
}

// NewKey returns the key of a secret that the servers share.
func NewKey(secret []byte) *Key {
	raw, err := hkdf.Key(sha256.New, secret, nil, "triptych peers 1", 32)
	if err != nil {
		panic(err) // the length is one that HKDF can make
	}
	return &Key{key: [32]byte(raw), used: map[string]struct{}{}}
}

// An envelope holds the fields of a header, in its order.
type envelope struct {
	to    string // tag of the server that the request is passed to
	at    int64  // Unix milliseconds
	nonce string
	from  string // address of the client, or noAddress
	body  string // SHA-256, in hexadecimal digits
}

// noAddress stands for a client whose address is not known, as that of a Unix socket.
const noAddress = "@"

var (
	errForged = errors.New("the request was not passed on by a server of this store")
	errStale  = errors.New("the request was passed on too long ago, or the clocks of the servers differ")
	errReused = errors.New("the request was passed on before")
)

// sign sets the header of a request that is passed on.
func (k *Key) sign(r *http.Request, to string, from netip.AddrPort, body []byte, now time.Time) {
	sum := sha256.Sum256(body)
	e := envelope{to: to, at: now.UnixMilli(), nonce: rand.Text(), from: noAddress, body: hex.EncodeToString(sum[:])}
	if from.IsValid() {
		e.from = from.String()
	}
	r.Header.Set(Header, fmt.Sprintf("%s %d %s %s %s %s", e.to, e.at, e.nonce, e.from, e.body, k.mac(&e, r)))
}

// mac returns the code of an envelope and of the parts of the request that say what it
// is about: with other credentials or for another path the header is not authentic.
func (k *Key) mac(e *envelope, r *http.Request) string {
	h := hmac.New(sha256.New, k.key[:])
	fmt.Fprintf(h, "%s\n%d\n%s\n%s\n%s\n%s\n%q\n", e.to, e.at, e.nonce, e.from, e.body, r.Method, r.URL.RequestURI())
	for _, name := range []string{"Authorization", "Mcp-Session-Id", "Last-Event-Id"} {
		fmt.Fprintf(h, "%q\n", r.Header[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// open returns the envelope of a header that is authentic, fresh and not used before.
func (k *Key) open(r *http.Request, now time.Time) (*envelope, error) {
	values := r.Header[Header]
	if len(values) != 1 {
		return nil, errForged
	}
	fields := strings.Split(values[0], " ")
	if len(fields) != 6 {
		return nil, errForged
	}
	at, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return nil, errForged
	}
	e := &envelope{to: fields[0], at: at, nonce: fields[2], from: fields[3], body: fields[4]}
	if !hmac.Equal([]byte(fields[5]), []byte(k.mac(e, r))) {
		return nil, errForged
	}
	if now.Sub(time.UnixMilli(at)).Abs() > fresh {
		return nil, errStale
	}
	if !k.use(e.nonce, now) {
		return nil, errReused
	}
	return e, nil
}

// use notes a nonce, and reports false if it was used before. A nonce is remembered for
// at least 2 × fresh, in which its header goes stale.
func (k *Key) use(nonce string, now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if now.Sub(k.turned) > 2*fresh {
		k.used, k.usedLast, k.turned = map[string]struct{}{}, k.used, now
	}
	_, used := k.used[nonce]
	_, before := k.usedLast[nonce]
	if used || before {
		return false
	}
	k.used[nonce] = struct{}{}
	return true
}

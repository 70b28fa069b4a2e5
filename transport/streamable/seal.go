package streamable

import (
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/internal/sealing"
)

// sealPrefix begins the ids of sessions that any server of a store can go on with. An
// id without it belongs to one server.
const sealPrefix = "s1."

// SessionLife is the time for which a session can go on at other servers. The caller's
// key is checked with every request, so it need not be short.
const SessionLife = 7 * 24 * time.Hour

// A sealer makes session ids from what initialize has negotiated, and reads those of
// other servers: AES-256-GCM with a key that the servers share and a random nonce for
// each id. The key of the caller is in the id, so that no other key can use it. It may be
// used by many goroutines.
type sealer struct{ aead cipher.AEAD }

// A sealedSession is the contents of an id: all that another server needs to go on with the
// session. The names are short, for the id is sent with every request. The id is encrypted
// since a client must not read its scopes, and authenticated since it must not choose them.
type sealedSession struct {
	ID        string         `json:"i"` // names the session in the audit trail
	Principal string         `json:"p"`
	Scopes    []host.Scope   `json:"s"` // nil is all
	Began     int64          `json:"t"` // Unix seconds
	Handshake host.Handshake `json:"h"`
}

// newSealer returns the sealer of a shared secret, nil without one.
func newSealer(secret []byte) *sealer {
	if len(secret) == 0 {
		return nil
	}
	return &sealer{sealing.New(secret, "triptych session ids 1")}
}

var errSealed = errors.New("no sealed session id of this store")

// seal returns the id of a session. Two calls return different ids, for the nonce is random;
// both are of the session.
func (k *sealer) seal(s sealedSession) (string, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	return sealPrefix + base64.RawURLEncoding.EncodeToString(k.aead.Seal(nil, nil, text, []byte(sealPrefix))), nil
}

// open returns the contents of an id. Its error does not tell a forged id from one that
// is too old: clients get the same answer to both.
func (k *sealer) open(id string, now time.Time) (s sealedSession, err error) {
	text, ok := strings.CutPrefix(id, sealPrefix)
	if !ok || len(text) > maxSealed {
		return s, errSealed
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return s, errSealed
	}
	if raw, err = k.aead.Open(nil, nil, raw, []byte(sealPrefix)); err != nil {
		return s, errSealed
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return s, fmt.Errorf("%w: %w", errSealed, err)
	}
	if age := now.Sub(time.Unix(s.Began, 0)); age > SessionLife || age < -time.Hour {
		return s, errSealed
	}
	return s, nil
}

// maxSealed limits the length of an id: what servers and proxies take as a header. A
// session whose id would be longer stays with its server.
const maxSealed = 4096

// newSessionID returns 130 random bits in visible ASCII, as the specification wants session
// ids: unique and not to be guessed (basic/transports, session management). Authentication
// does not rest on it: each request of a session needs the key with which the session began.
func newSessionID() string { return rand.Text() }

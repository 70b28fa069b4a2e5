package oauth

import (
	"crypto/cipher"
	"encoding/base64"
	"encoding/json"

	"github.com/triptych-mcp/triptych/transport/internal/sealing"
)

// A sealer encrypts and authenticates what browsers and clients keep for the server.
type sealer struct{ aead cipher.AEAD }

func newSealer(secret []byte) sealer {
	return sealer{sealing.New(secret, "triptych oauth 1")}
}

// seal returns a value as a text that only a server with the secret can make and read, and for
// one purpose only.
func (s sealer) seal(purpose string, value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // values are of types of this package
	}
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, text, []byte(purpose)))
}

// open reads what was sealed for a purpose into value, or reports false.
func (s sealer) open(purpose, text string, value any) bool {
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return false
	}
	plain, err := s.aead.Open(nil, nil, sealed, []byte(purpose))
	return err == nil && json.Unmarshal(plain, value) == nil
}

package oauth

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
)

// A sealer encrypts and authenticates what browsers and clients keep for the server.
type sealer struct{ aead cipher.AEAD }

func newSealer(secret []byte) sealer {
	key, err := hkdf.Key(sha256.New, secret, nil, "triptych oauth 1", 32)
	if err != nil {
		panic(err) // the length is one that HKDF can make
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // the length is one of AES
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // the block is one of AES
	}
	return sealer{aead}
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

// Package sealing derives keys that seal what clients keep for a server.
//
//	aead := sealing.New(secret, "triptych session ids 1")
package sealing

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
)

// New returns AES-256-GCM with a random nonce for each text. Its key is derived by HKDF (RFC
// 5869) from a secret that servers share, under a name of its own, so that the secret can
// serve other purposes, too. It may be used by many goroutines.
func New(secret []byte, name string) cipher.AEAD {
	key, err := hkdf.Key(sha256.New, secret, nil, name, 32)
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
	return aead
}

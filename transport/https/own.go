package https

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
)

// An ownCertificate is a self-signed one in memory, for clients that ask for its name and
// compare its hash, such as other servers of a store. An authority knows no address that only
// those use, and the certificates that it issues change.
type ownCertificate struct {
	name string
	pair tls.Certificate
}

// ServeOwn makes a certificate of this process that is served to clients which ask for a name,
// and returns its SHA-256 in hexadecimal digits. Call it before the server starts.
func (c *Certificates) ServeOwn(name string) (sum string, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	template, err := selfSigned([]string{name})
	if err != nil {
		return "", err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return "", err
	}
	c.own = &ownCertificate{name, tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}}
	hash := sha256.Sum256(der)
	return hex.EncodeToString(hash[:]), nil
}

// Managed reports whether a function returns the certificates, as with the function [Managed].
func (c *Certificates) Managed() bool { return c.managed != nil }

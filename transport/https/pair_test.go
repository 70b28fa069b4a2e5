package https_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// writePair writes a pair that this package did not make, and returns its
// fingerprint.
func writePair(t *testing.T, dir, certFile, keyFile, name string, expires time.Time) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{"localhost"},
		NotBefore: expires.Add(-48 * time.Hour), NotAfter: expires,
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(key) // SEC 1, which openssl ecparam writes
	if err != nil {
		t.Fatal(err)
	}
	writePEM(t, filepath.Join(dir, certFile), "CERTIFICATE", cert)
	writePEM(t, filepath.Join(dir, keyFile), "EC PRIVATE KEY", secret)
	return fingerprint(cert)
}

func writePEM(t *testing.T, file, kind string, der []byte) {
	t.Helper()
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
}

package https

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/triptych-mcp/triptych/mcp/atomicfile"
	"github.com/triptych-mcp/triptych/transport/internal/private"
)

// SelfSigned reads the pair cert.pem and key.pem in a folder, and makes it when there is none.
// The certificate is for loopback names, the machine's name and the given hosts. A self-signed
// pair that lacks one of them or has expired is replaced; a pair that an operator put there is
// not. Processes that start at once make one pair: a lock in the folder orders them.
func SelfSigned(dir string, hosts []string, log *slog.Logger) (*Certificates, error) {
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	if err := private.MakeDir(dir); err != nil {
		return nil, fmt.Errorf("making the folder of the certificate: %w", err)
	}
	lock := flock.New(filepath.Join(dir, "lock"))
	if err := lock.Lock(); err != nil {
		return nil, fmt.Errorf("locking the folder of the certificate: %w", err)
	}
	defer func() { _ = lock.Close() }() // the lock goes with the file
	c, err := LoadCertificates(certFile, keyFile, log)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && c.outlived(hosts):
		if err := makePair(certFile, keyFile, hosts); err != nil {
			return nil, fmt.Errorf("making a certificate: %w", err)
		}
		return LoadCertificates(certFile, keyFile, log)
	}
	return c, err
}

// outlived reports whether a self-signed pair has expired or lacks the name of a host.
func (c *Certificates) outlived(hosts []string) bool {
	leaf := c.pair.Leaf
	if !leaf.IsCA || leaf.Subject.CommonName != commonName {
		return false // an operator put it there
	}
	lacks := func(host string) bool { return leaf.VerifyHostname(host) != nil }
	return c.now().After(leaf.NotAfter) || slices.ContainsFunc(hosts, lacks)
}

// The properties of a certificate that this package makes.
const (
	// lifetime is that of a self-signed certificate, which is not renewed.
	lifetime = 10 * 365 * 24 * time.Hour
	// commonName marks a self-signed certificate.
	commonName = "triptych"
)

// makePair writes a key (PKCS #8) and a certificate signed with it (RFC 5280). Each file is
// replaced as a whole, the key first.
func makePair(certFile, keyFile string, hosts []string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template, err := selfSigned(hosts)
	if err != nil {
		return err
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return errors.Join(
		writePEM(keyFile, 0o600, "PRIVATE KEY", secret),
		writePEM(certFile, 0o644, "CERTIFICATE", cert),
	)
}

// selfSigned returns the template of a certificate for the loopback names, the machine's name
// and the hosts. It is its own authority, so that clients can be told to trust it. It is valid
// from an hour ago on, for clocks differ.
func selfSigned(hosts []string) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber:          serial,
		Subject:               pkix.Name{CommonName: commonName},
		NotBefore:             now.Add(-time.Hour), // clocks differ
		NotAfter:              now.Add(lifetime),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		IsCA:                  true, // so that clients can be told to trust it
	}
	names := append([]string{"localhost", "127.0.0.1", "::1"}, hosts...)
	if name, err := os.Hostname(); err == nil {
		names = append(names, name)
	}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	return template, nil
}

// writePEM replaces a file with one PEM block (RFC 7468).
func writePEM(file string, mode fs.FileMode, kind string, der []byte) error {
	return atomicfile.Write(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), mode)
}

// ServeOwn makes a certificate of this process that is served to clients which ask for a name
// (SNI), beside the server's own, and returns its SHA-256 in hexadecimal digits. It is made
// anew in each process and never stored. Call it before the server starts.
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

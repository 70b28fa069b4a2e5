package https

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
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
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/crypto/acme"

	"github.com/triptych-mcp/triptych/transport/internal/atomicfile"
	"github.com/triptych-mcp/triptych/transport/internal/filestamp"
	"github.com/triptych-mcp/triptych/transport/internal/private"
)

// Certificates serves a certificate and its key from PEM files, which are read again
// when they change.
type Certificates struct {
	certFile, keyFile string
	managed           func(*tls.ClientHelloInfo) (*tls.Certificate, error) // nil for files
	own               *ownCertificate                                      // nil without one
	log               *slog.Logger
	now               func() time.Time

	mu      sync.Mutex
	pair    *tls.Certificate
	seen    [2]filestamp.Stamp // of the files that pair came from
	checked time.Time
}

// checkEvery is the shortest time between two checks of the files.
const checkEvery = time.Second

// LoadCertificates reads a pair of files.
func LoadCertificates(certFile, keyFile string, log *slog.Logger) (*Certificates, error) {
	c := &Certificates{certFile: certFile, keyFile: keyFile, log: log, now: time.Now}
	if err := c.load(); err != nil {
		return nil, fmt.Errorf("loading the certificate: %w", err)
	}
	c.checked = c.now()
	return c, nil
}

// SelfSigned reads the pair of files in a folder, and makes it when there is
// none. The certificate is for loopback names, the machine's name and the given hosts.
// A self-signed pair that lacks one of them or has expired is replaced.
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

// outlived reports whether a self-signed pair has expired or lacks a name.
func (c *Certificates) outlived(hosts []string) bool {
	leaf := c.pair.Leaf
	if !leaf.IsCA || leaf.Subject.CommonName != commonName {
		return false // an operator put it there
	}
	lacks := func(host string) bool { return leaf.VerifyHostname(host) != nil }
	return c.now().After(leaf.NotAfter) || slices.ContainsFunc(hosts, lacks)
}

// Managed serves the certificates that a function returns, such as those of an ACME
// client. There are no files.
func Managed(certificate func(*tls.ClientHelloInfo) (*tls.Certificate, error), log *slog.Logger) *Certificates {
	return &Certificates{managed: certificate, log: log, now: time.Now}
}

// File returns the path of the certificate, "" if it is not a file.
func (c *Certificates) File() string { return c.certFile }

// Fingerprint returns the SHA-256 of the certificate, as pairs of hexadecimal
// digits with colons between.
func (c *Certificates) Fingerprint() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pair == nil {
		return ""
	}
	sum := sha256.Sum256(c.pair.Certificate[0])
	return strings.ReplaceAll(fmt.Sprintf("% X", sum), " ", ":")
}

// Expires returns the time at which the certificate expires, zero as long as a managed
// one was not served.
func (c *Certificates) Expires() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pair == nil || c.pair.Leaf == nil {
		return time.Time{}
	}
	return c.pair.Leaf.NotAfter
}

// get implements [tls.Config.GetCertificate].
func (c *Certificates) get(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	if c.own != nil && hello.ServerName == c.own.name {
		return &c.own.pair, nil
	}
	if c.managed != nil {
		return c.getManaged(hello)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.now(); now.Sub(c.checked) >= checkEvery {
		c.checked = now
		c.reloadLocked()
	}
	return c.pair, nil
}

// protocols returns the protocols of connections, and that of challenges if an authority
// may ask for one (RFC 8737).
func (c *Certificates) protocols() []string {
	if c.managed != nil {
		return []string{"h2", "http/1.1", acme.ALPNProto}
	}
	return []string{"h2", "http/1.1"}
}

// getManaged serves a managed certificate and remembers it, unless it is the answer to a
// challenge.
func (c *Certificates) getManaged(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	pair, err := c.managed(hello)
	if err == nil && !slices.Contains(hello.SupportedProtos, acme.ALPNProto) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.pair = pair
	}
	return pair, err
}

// Reload reads the files now if they changed, and not only when a client connects.
func (c *Certificates) Reload() {
	if c.managed != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.checked = c.now()
	c.reloadLocked()
}

// reloadLocked reads files that changed. If they are invalid, the old pair is served.
func (c *Certificates) reloadLocked() {
	now, err := stamps(c.certFile, c.keyFile)
	if err == nil && now == c.seen {
		return
	}
	if err == nil {
		err = c.load()
	}
	if err != nil {
		c.log.Warn("the certificate's files changed and are not good; the old ones are served", "path", c.certFile, "err", err)
		return
	}
	c.log.Info("certificate loaded", "path", c.certFile)
}

// load reads the files and leaves c as it is if they are invalid. The stamps are taken
// first: files that change meanwhile are read again at the next check.
func (c *Certificates) load() error {
	seen, err := stamps(c.certFile, c.keyFile)
	if err != nil {
		return err
	}
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return err
	}
	c.pair, c.seen = &pair, seen
	return nil
}

// stamps returns the stamps of two files.
func stamps(files ...string) (all [2]filestamp.Stamp, err error) {
	for i, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			return all, err
		}
		all[i] = filestamp.Of(info)
	}
	return all, nil
}

const (
	// lifetime is that of a self-signed certificate, which is not renewed.
	lifetime = 10 * 365 * 24 * time.Hour
	// commonName marks a self-signed certificate.
	commonName = "triptych"
)

// makePair writes a key (PKCS #8) and a certificate signed with it (RFC 5280).
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

// selfSigned returns the template of a certificate for the loopback names, the
// machine's name and the hosts. It is its own authority, so that clients can be told to
// trust it.
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

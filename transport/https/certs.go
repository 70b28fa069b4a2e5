package https

import (
	"crypto/sha256"
	"crypto/tls"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/acme"

	"github.com/triptych-mcp/triptych/mcp/filestamp"
)

// Certificates serves the certificate of a server. It comes from one of three places: PEM
// files, which are read again when they change ([LoadCertificates]), such files that it makes
// itself ([SelfSigned]), or a function ([Managed]). Methods may be called from any goroutine.
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

// checkEvery is the shortest time between two checks of the files: a check takes two system
// calls, and each handshake would make one.
const checkEvery = time.Second

// LoadCertificates reads a pair of PEM files: the certificate with those of intermediate
// authorities behind it, and its private key. Both must be valid now. When they change later
// and are not valid, the old pair is served, and a line of the log says so.
func LoadCertificates(certFile, keyFile string, log *slog.Logger) (*Certificates, error) {
	c := &Certificates{certFile: certFile, keyFile: keyFile, log: log, now: time.Now}
	if err := c.load(); err != nil {
		return nil, fmt.Errorf("loading the certificate: %w", err)
	}
	c.checked = c.now()
	return c, nil
}

// Managed serves the certificates that a function returns, such as those of an ACME client.
// There are no files. The function is called at each handshake and must be fast.
func Managed(certificate func(*tls.ClientHelloInfo) (*tls.Certificate, error), log *slog.Logger) *Certificates {
	return &Certificates{managed: certificate, log: log, now: time.Now}
}

// File returns the path of the certificate, "" if it is not a file. Clients can be told to
// trust the file of a self-signed one.
func (c *Certificates) File() string { return c.certFile }

// Fingerprint returns the SHA-256 of the certificate, as pairs of hexadecimal digits with
// colons between, as browsers and openssl show it. It is "" as long as a managed one was not
// served.
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

// get implements [tls.Config.GetCertificate]. Files are checked here, at the handshake that
// needs them: no goroutine watches them.
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

// protocols returns the protocols of connections by ALPN, the preferred one first, and that of
// challenges if an authority may ask for one (RFC 8737).
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

// Reload reads the files now if they changed, and not only when a client connects. A server
// calls it on SIGHUP. It does nothing for managed certificates.
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

// stamps returns the stamps of two files. A file that is missing is an error.
func stamps(files ...string) (all [2]filestamp.Stamp, err error) {
	for i, file := range files {
		if all[i], err = filestamp.Stat(file); err != nil {
			return all, err
		}
	}
	return all, nil
}

// An ownCertificate is a self-signed one in memory, for clients that ask for its name and
// compare its hash, such as other servers of a store. An authority knows no address that only
// those use, and the certificates that it issues change.
type ownCertificate struct {
	name string
	pair tls.Certificate
}

// Managed reports whether a function returns the certificates, as with the function [Managed].
func (c *Certificates) Managed() bool { return c.managed != nil }

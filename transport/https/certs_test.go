package https_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/transport/https"
)

var quiet = slog.New(slog.DiscardHandler)

func selfSigned(t *testing.T, dir string, hosts ...string) *https.Certificates {
	t.Helper()
	c, err := https.SelfSigned(dir, hosts, quiet)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// certificate reads the certificate in a file.
func certificate(t *testing.T, file string) *x509.Certificate {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	block, rest := pem.Decode(text)
	if block == nil || block.Type != "CERTIFICATE" || len(bytes.TrimSpace(rest)) > 0 {
		t.Fatalf("%s is not one certificate", file)
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

func TestSelfSigned(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data", "tls")
	c := selfSigned(t, dir, "mcp.example.com", "192.0.2.7")
	cert := certificate(t, c.File())
	names := []string{"localhost", "127.0.0.1", "::1", "mcp.example.com", "192.0.2.7"}
	if name, err := os.Hostname(); err == nil {
		names = append(names, name)
	}
	roots := x509.NewCertPool()
	roots.AddCert(cert) // what curl --cacert does
	for _, name := range names {
		if _, err := cert.Verify(x509.VerifyOptions{DNSName: name, Roots: roots}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := cert.VerifyHostname("example.com"); err == nil {
		t.Error("it is good for example.com, too")
	}
	for file, want := range map[string]fs.FileMode{dir: fs.ModeDir | 0o700, c.File(): 0o644, filepath.Join(dir, "key.pem"): 0o600} {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode(); got != want {
			t.Errorf("%s has mode %v, want %v", file, got, want)
		}
	}
	want := fmt.Sprintf("%X", sha256.Sum256(cert.Raw))
	if got := strings.ReplaceAll(c.Fingerprint(), ":", ""); got != want || len(c.Fingerprint()) != 95 {
		t.Errorf("fingerprint %s, want the digits %s", c.Fingerprint(), want)
	}
}

// The pair is made once, however often and by however many servers it is asked
// for.
func TestSelfSignedOnce(t *testing.T) {
	dir := t.TempDir()
	var mu sync.Mutex
	var prints []string
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			c, err := https.SelfSigned(dir, nil, quiet)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
				return
			}
			prints = append(prints, c.Fingerprint())
		})
	}
	wg.Wait()
	slices.Sort(prints)
	if len(slices.Compact(prints)) != 1 {
		t.Errorf("fingerprints %v, want one", prints)
	}
}

// A self-signed pair is replaced when it has expired or lacks a name; an operator's
// is kept.
func TestSelfSignedAnew(t *testing.T) {
	bubble(t, func(t *testing.T) {
		dir := t.TempDir()
		first := selfSigned(t, dir, "one.example.com").Fingerprint()
		if again := selfSigned(t, dir); again.Fingerprint() != first {
			t.Error("made anew though it has more names than needed")
		}
		second := selfSigned(t, dir, "two.example.com", "192.0.2.7").Fingerprint()
		if second == first {
			t.Error("not made anew though it lacks a name")
		}
		time.Sleep(10*365*24*time.Hour - time.Minute)
		if again := selfSigned(t, dir, "two.example.com"); again.Fingerprint() != second {
			t.Error("made anew before it expired")
		}
		time.Sleep(2 * time.Minute)
		if again := selfSigned(t, dir, "two.example.com"); again.Fingerprint() == second {
			t.Error("not made anew though it has expired")
		}
	})
}

func TestSelfSignedLeavesOthersAlone(t *testing.T) {
	dir := t.TempDir()
	theirs := writePair(t, dir, "cert.pem", "key.pem", "theirs", time.Now().Add(-time.Hour))
	if got := selfSigned(t, dir, "mcp.example.com").Fingerprint(); got != theirs {
		t.Errorf("fingerprint %s, want %s, which was there", got, theirs)
	}
}

func TestBrokenPairs(t *testing.T) {
	dir := t.TempDir()
	writePair(t, dir, "a.pem", "a.key", "a", time.Now().Add(time.Hour))
	writePair(t, dir, "b.pem", "b.key", "b", time.Now().Add(time.Hour))
	if err := os.WriteFile(filepath.Join(dir, "text"), []byte("not PEM\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, pair := range [][2]string{{"a.pem", "b.key"}, {"text", "a.key"}, {"a.pem", "text"}, {"a.pem", "missing"}, {"missing", "a.key"}, {"a.key", "a.pem"}} {
		if _, err := https.LoadCertificates(filepath.Join(dir, pair[0]), filepath.Join(dir, pair[1]), quiet); err == nil {
			t.Errorf("%v was loaded", pair)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "cert.pem"), []byte("half a fi"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "a.key"), filepath.Join(dir, "key.pem")); err != nil {
		t.Fatal(err)
	}
	if _, err := https.SelfSigned(dir, nil, quiet); err == nil {
		t.Error("a broken pair was loaded, or written over")
	}
}

// Files that change are served within a second; while they are not good, the
// pair before goes on.
func TestReload(t *testing.T) {
	bubble(t, func(t *testing.T) {
		dir := t.TempDir()
		expires := time.Now().Add(24 * time.Hour)
		first := writePair(t, dir, "cert.pem", "key.pem", "first", expires)
		var log bytes.Buffer
		certs, err := https.LoadCertificates(filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		h := serve(t, https.Config{Certificates: certs, Routes: endpoint(says("here"))})
		if got := h.shows(t); got != first {
			t.Fatalf("serves %s, want the first pair", got)
		}
		second := writePair(t, dir, "cert.pem", "other.pem", "second", expires) // its key is not in place yet
		time.Sleep(time.Second)
		if got := h.shows(t); got != first {
			t.Error("half of a new pair was served")
		}
		if !strings.Contains(log.String(), "not good") {
			t.Errorf("nothing was said of it: %s", log.String())
		}
		if err := os.Rename(filepath.Join(dir, "other.pem"), filepath.Join(dir, "key.pem")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if got := h.shows(t); got != second || certs.Fingerprint() != second {
			t.Errorf("serves %s, says %s, want the second pair %s", got, certs.Fingerprint(), second)
		}
		if err := os.Remove(filepath.Join(dir, "key.pem")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if got := h.shows(t); got != second {
			t.Error("not served when the files are gone")
		}
		h.end(t)
	})
}

// shows is the fingerprint of the certificate that a new connection is shown.
func (h *house) shows(t *testing.T) string {
	t.Helper()
	raw, err := h.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	conn := tls.Client(raw, &tls.Config{InsecureSkipVerify: true}) // the fingerprint tells more than a name
	defer conn.Close()
	if err := conn.Handshake(); err != nil {
		t.Fatal(err)
	}
	return fingerprint(conn.ConnectionState().PeerCertificates[0].Raw)
}

func fingerprint(der []byte) string {
	sum := sha256.Sum256(der)
	return strings.ReplaceAll(fmt.Sprintf("% X", sum), " ", ":")
}

func TestVersions(t *testing.T) {
	tests := []struct {
		version uint16
		ok      bool
	}{
		{tls.VersionTLS10, false}, {tls.VersionTLS11, false}, {tls.VersionTLS12, true}, {tls.VersionTLS13, true},
	}
	bubble(t, func(t *testing.T) {
		h := serve(t, https.Config{Certificates: selfSigned(t, t.TempDir()), Routes: endpoint(says("here"))})
		for _, tc := range tests {
			raw, err := h.Dial(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			conn := tls.Client(raw, &tls.Config{InsecureSkipVerify: true, MinVersion: tc.version, MaxVersion: tc.version})
			err = conn.Handshake()
			if ok := err == nil; ok != tc.ok {
				t.Errorf("%s: %v, want it to work: %v", tls.VersionName(tc.version), err, tc.ok)
			}
			_ = raw.Close() // the closing alert does not matter
		}
		h.end(t)
	})
}

// Clients that can speak HTTP/2 do, others HTTP/1.1; both by the same handler.
func TestProtocols(t *testing.T) {
	bubble(t, func(t *testing.T) {
		certs := selfSigned(t, t.TempDir())
		h := serve(t, https.Config{Certificates: certs, Routes: endpoint(func(w http.ResponseWriter, r *http.Request) {
			says(r.Proto)(w, r)
		})})
		roots := x509.NewCertPool()
		roots.AddCert(certificate(t, certs.File()))
		for _, two := range []bool{true, false} {
			transport := &http.Transport{
				DialContext:     func(ctx context.Context, _, _ string) (net.Conn, error) { return h.Dial(ctx) },
				TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: two,
			}
			want := map[bool]string{true: "HTTP/2.0", false: "HTTP/1.1"}[two]
			if _, got := get(t, &http.Client{Transport: transport}, "https://localhost/mcp"); got != want {
				t.Errorf("spoke %s, want %s", got, want)
			}
			transport.CloseIdleConnections()
		}
		h.end(t)
	})
}

// A client that connects and does not finish the handshake is cut off.
func TestSlowHandshake(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := serve(t, https.Config{Certificates: selfSigned(t, t.TempDir()), HeaderTime: 10 * time.Second})
		if took, _ := closes(t, h.raw(t, "")); took != 10*time.Second {
			t.Errorf("closed after %v, want 10s", took)
		}
		h.end(t)
	})
}

package valkeystore_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/triptych-mcp/triptych/rulesets/internal/valkeystore"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/rulesets/valkeyconn"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

func openWith(t *testing.T, url string, log *slog.Logger) *valkeystore.Store {
	t.Helper()
	s, err := valkeystore.Open(t.Context(), url, "", log, atNoon)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // its server ends anyhow
	return s
}

// TestUserWithFewRights has a user who may touch our keys and channel only, and
// must not hear keyspace events.
func TestUserWithFewRights(t *testing.T) {
	server := valkeytest.Start(t, "--user", "editor", "on", ">p@ss/w:rd", "~ruleset:*", "~rulesets:*", "&rulesets:events", "+@all")
	s := open(t, "valkey://editor:p%40ss%2Fw%3Ard@"+server.Addr+"/2", atNoon)
	if _, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "a"}); err != nil {
		t.Fatal(err)
	}
	if got := listed(t, s, ruleset.Page{}); len(got) != 1 {
		t.Errorf("lists %v", got)
	}
	heard := watch(t, s)
	if c := heard.until(t, func() { create(t, s) }); c.Kind != ruleset.Created {
		t.Errorf("heard %v, want a creation", c)
	}
	if got := listed(t, open(t, "valkey://"+server.Addr, atNoon), ruleset.Page{}); len(got) != 0 {
		t.Errorf("database 0 lists %v, which are in 2", got)
	}
}

func TestURLs(t *testing.T) {
	addr := miniredis.RunT(t).Addr()
	const secret = "hunter2"
	for _, url := range []string{
		"ftp://x:hunter2@" + addr, "valkey://x:hunter2/y@" + addr, "valkey://x:hunter2#y@" + addr, "valkey://x:hunter2%zz@" + addr,
		"valkey://x/hunter2@" + addr, "valkey://x:1?hunter2@" + addr, "hunter2", "", "valkey://x:hunter2@" + addr + "/db",
		"valkey+cluster://x:hunter2@" + addr + "/y@z", "valkey+sentinel://x:hunter2@" + addr,
	} {
		s, err := valkeystore.Open(t.Context(), url, "", quiet, atNoon)
		if err == nil {
			_ = s.Close() // the test has failed
			t.Errorf("%q: no error", url)
			continue
		}
		if text := err.Error(); !strings.HasPrefix(text, "failed to connect to Valkey: ") || strings.Contains(text, secret) {
			t.Errorf("%q: %v", url, err)
		}
	}
	for _, tc := range [][3]string{
		{"", "", "valkey://localhost:6379"}, {"db", "", "valkey://db:6379"}, {"", "7000", "valkey://localhost:7000"}, {"::1", "1", "valkey://[::1]:1"},
	} {
		if got := valkeyconn.URLFromEnv(tc[0], tc[1]); got != tc[2] {
			t.Errorf("URLFromEnv(%q, %q) = %q, want %q", tc[0], tc[1], got, tc[2])
		}
	}
}

func TestSilentServerTakesBoundedTime(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // accepts in the backlog, never answers
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }() // nothing to lose
	began := time.Now()
	_, err = valkeystore.Open(t.Context(), "valkey://"+l.Addr().String(), "", quiet, atNoon)
	if took := time.Since(began); err == nil || took > 20*time.Second {
		t.Errorf("%v after %v", err, took)
	}
}

func TestTLS(t *testing.T) {
	dir := t.TempDir()
	cert, key := selfSigned(t, dir)
	server := valkeytest.Start(t, "--tls-port", "0") // finds a free port
	server.Stop()
	_, port, _ := net.SplitHostPort(server.Addr)
	server.Run("--port", "0", "--tls-port", port, "--tls-cert-file", cert, "--tls-key-file", key, "--tls-ca-cert-file", cert, "--tls-auth-clients", "no")
	if _, err := valkeystore.Open(t.Context(), "valkeys://"+server.Addr, "", quiet, atNoon); err == nil {
		t.Error("a certificate that nobody vouches for was taken")
	}
	s := open(t, "valkeys://"+server.Addr+"?skip_verify=true", atNoon)
	if _, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "a"}); err != nil {
		t.Error(err)
	}
	if _, err := valkeystore.Open(t.Context(), "valkey://"+server.Addr, "", quiet, atNoon); err == nil {
		t.Error("a connection without TLS succeeded")
	}
}

// selfSigned writes a certificate for 127.0.0.1 and its key.
func selfSigned(t *testing.T, dir string) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: der}, "key.pem": {Type: "PRIVATE KEY", Bytes: keyDER}} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
}

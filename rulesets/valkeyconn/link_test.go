package valkeyconn

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// The errors of servers that cannot serve, as Redis documents and sends them.
func TestUnserving(t *testing.T) {
	for text, want := range map[string]string{
		"READONLY You can't write against a read only replica.":                                      "READONLY",
		"READONLY You can't write against a read only replica. script: 2a, on @user_script:1.":       "READONLY",
		"ERR Error running script (call to f_2a): @user_script:1: -READONLY You can't write against": "READONLY",
		"LOADING Redis is loading the dataset in memory":                                             "LOADING",
		"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.":           "MASTERDOWN",
		"EXECABORT Transaction discarded because of previous errors.":                                "",
		"OOM command not allowed when used memory > 'maxmemory'.":                                    "",
		"ERR value is not READONLY or LOADING ":                                                      "",
	} {
		if got := unserving(errors.New(text)); got != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
}

// Certificates and the password are read for each connection.
func TestFilesOfCredentials(t *testing.T) {
	dir := t.TempDir()
	plain, files, err := cutCredentials("rediss://user@host:1/2?ca_file=" + dir + "/ca&cert_file=" + dir + "/cert&key_file=" + dir + "/key&password_file=" + dir + "/password&client_name=x")
	if err != nil || plain != "rediss://user@host:1/2?client_name=x" {
		t.Fatalf("%s, %v", plain, err)
	}
	for _, password := range []string{"first", "second"} {
		if err := os.WriteFile(filepath.Join(dir, "password"), []byte(password+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if user, got, err := files.provider("user")(t.Context()); user != "user" || got != password || err != nil {
			t.Errorf("%s, %s, %v, want user and %s", user, got, err, password)
		}
	}
	for _, bad := range []string{"redis://h?ca_file=x", "rediss://h?cert_file=x", "redis://h?key_file=x"} {
		if _, _, err := cutCredentials(bad); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}

// A server that asks for certificates of its own authority is reached by the files of
// the URL.
func TestMutualTLS(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	makeCertificate(t, path("cert"), path("key"))
	server := valkeytest.Start(t, "--tls-port", freePort(t), "--tls-cert-file", path("cert"), "--tls-key-file", path("key"),
		"--tls-ca-cert-file", path("cert"), "--tls-auth-clients", "yes")
	admin := valkeytest.Client(t, "redis://"+server.Addr)
	port := admin.ConfigGet(t.Context(), "tls-port").Val()["tls-port"]
	url := "valkeys://127.0.0.1:" + port + "/0?ca_file=" + path("cert")
	if client, _, err := Dial(t.Context(), url, slog.New(slog.DiscardHandler)); err == nil {
		_ = client.Close()
		t.Error("connected without a certificate")
	}
	client, _, err := Dial(t.Context(), url+"&cert_file="+path("cert")+"&key_file="+path("key"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }() // nothing to lose
	if got, err := client.Echo(t.Context(), "hello").Result(); got != "hello" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	_, port, _ := net.SplitHostPort(valkeytest.FreeAddr(t))
	return port
}

// makeCertificate makes a certificate that signs itself, and its key.
func makeCertificate(t *testing.T, cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "store"}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: raw}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

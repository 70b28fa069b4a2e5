package servecmd

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/transport/https"
)

// An authority is an ACME server (RFC 8555) for one order. It checks a host by
// TLS-ALPN-01 (RFC 8737) at one address, and does not check signatures of requests.
type authority struct {
	t       *testing.T
	url     string
	address string // of the server that is checked
	key     *ecdsa.PrivateKey
	cert    *x509.Certificate

	mu        sync.Mutex
	host      string
	valid     bool
	issued    []byte // PEM
	thumb     string // of the account's key
	checked   int
	wrongCert string
	agreed    bool // to the terms
}

const challengeToken = "evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ-PCt92wr-oA" // RFC 8555, section 8.3

func newAuthority(t *testing.T) (*authority, *httptest.Server) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(100 * 24 * time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	a := &authority{t: t, key: key}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewTLSServer(a)
	t.Cleanup(server.Close)
	a.url = server.URL
	return a, server
}

// ServeHTTP serves the few resources that a client needs.
func (a *authority) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	w.Header().Set("Replay-Nonce", "nonce")
	switch r.URL.Path {
	case "/directory":
		a.answer(w, 200, map[string]any{
			"newNonce": a.url + "/nonce", "newAccount": a.url + "/account", "newOrder": a.url + "/order",
			"meta": map[string]string{"termsOfService": a.url + "/terms"},
		})
	case "/nonce":
		w.WriteHeader(http.StatusOK)
	case "/account":
		a.account(w, r)
	case "/order":
		var order struct{ Identifiers []struct{ Value string } }
		a.payload(r, &order)
		a.host = order.Identifiers[0].Value
		w.Header().Set("Location", a.url+"/order/1")
		a.order(w, http.StatusCreated)
	case "/order/1":
		a.order(w, 200)
	case "/authorization":
		a.authorization(w)
	case "/challenge":
		a.check()
		a.answer(w, 200, a.challenge())
	case "/finalize":
		a.issue(r)
		w.Header().Set("Location", a.url+"/order/1")
		a.order(w, 200)
	case "/certificate":
		w.Header().Set("Content-Type", "application/pem-certificate-chain")
		_, _ = w.Write(a.issued)
	default:
		http.NotFound(w, r)
	}
}

func (a *authority) answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

// payload decodes the payload of a signed request and returns its header.
func (a *authority) payload(r *http.Request, into any) (protected []byte) {
	body, _ := io.ReadAll(r.Body)
	var jws struct{ Protected, Payload string }
	if err := json.Unmarshal(body, &jws); err != nil {
		a.t.Errorf("%s: %v", r.URL.Path, err)
	}
	protected, _ = base64.RawURLEncoding.DecodeString(jws.Protected)
	text, _ := base64.RawURLEncoding.DecodeString(jws.Payload)
	if err := json.Unmarshal(text, into); err != nil {
		a.t.Errorf("%s: %v: %s", r.URL.Path, err, text)
	}
	return protected
}

// account remembers the thumbprint of the key (RFC 7638).
func (a *authority) account(w http.ResponseWriter, r *http.Request) {
	var terms struct {
		Agreed bool `json:"termsOfServiceAgreed"`
	}
	var header struct {
		JWK struct{ Crv, Kty, X, Y string }
	}
	if err := json.Unmarshal(a.payload(r, &terms), &header); err != nil {
		a.t.Errorf("the account: %v", err)
	}
	a.agreed = a.agreed || terms.Agreed // another request only asks for the account
	jwk := header.JWK
	sum := sha256.Sum256(fmt.Appendf(nil, `{"crv":%q,"kty":%q,"x":%q,"y":%q}`, jwk.Crv, jwk.Kty, jwk.X, jwk.Y))
	a.thumb = base64.RawURLEncoding.EncodeToString(sum[:])
	w.Header().Set("Location", a.url+"/account/1")
	a.answer(w, http.StatusCreated, map[string]string{"status": "valid"})
}

func (a *authority) order(w http.ResponseWriter, status int) {
	order := map[string]any{
		"status": "pending", "identifiers": []map[string]string{{"type": "dns", "value": a.host}},
		"authorizations": []string{a.url + "/authorization"}, "finalize": a.url + "/finalize",
	}
	switch {
	case a.issued != nil:
		order["status"], order["certificate"] = "valid", a.url+"/certificate"
	case a.valid:
		order["status"] = "ready"
	}
	a.answer(w, status, order)
}

func (a *authority) status() string {
	if a.valid {
		return "valid"
	}
	return "pending"
}

func (a *authority) challenge() map[string]string {
	return map[string]string{"type": "tls-alpn-01", "url": a.url + "/challenge", "token": challengeToken, "status": a.status()}
}

func (a *authority) authorization(w http.ResponseWriter) {
	a.answer(w, 200, map[string]any{
		"status": a.status(), "identifier": map[string]string{"type": "dns", "value": a.host}, "challenges": []any{a.challenge()},
	})
}

// check connects to the server as the authority and looks for the digest of the key
// authorization in its certificate.
func (a *authority) check() {
	a.checked++
	dialer := &tls.Dialer{Config: &tls.Config{ServerName: a.host, NextProtos: []string{"acme-tls/1"}, InsecureSkipVerify: true}} // what it shows is checked
	conn, err := dialer.DialContext(a.t.Context(), "tcp", a.address)
	if err != nil {
		a.wrongCert = err.Error()
		return
	}
	defer conn.Close()
	state := conn.(*tls.Conn).ConnectionState()
	sum := sha256.Sum256([]byte(challengeToken + "." + a.thumb))
	want, _ := asn1.Marshal(sum[:])
	for _, extension := range state.PeerCertificates[0].Extensions {
		if extension.Id.String() == "1.3.6.1.5.5.7.1.31" && string(extension.Value) == string(want) && state.NegotiatedProtocol == "acme-tls/1" {
			a.valid = true
		}
	}
}

// issue signs the request for a certificate.
func (a *authority) issue(r *http.Request) {
	var finalize struct{ CSR string }
	a.payload(r, &finalize)
	der, _ := base64.RawURLEncoding.DecodeString(finalize.CSR)
	csr, err := x509.ParseCertificateRequest(der)
	if err != nil {
		a.t.Errorf("the request: %v", err)
		return
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), DNSNames: csr.DNSNames, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(90 * 24 * time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err = x509.CreateCertificate(rand.Reader, template, a.cert, csr.PublicKey, a.key)
	if err != nil {
		a.t.Errorf("issuing: %v", err)
		return
	}
	a.issued = append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})...)
}

// A server gets its certificate by ACME when the first client comes, answers the
// authority's challenge, and stores what it got.
func TestACME(t *testing.T) {
	ca, server := newAuthority(t)
	roots := filepath.Join(t.TempDir(), "roots.pem")
	if err := os.WriteFile(roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	flags := acmeFlags{hosts: []string{"rules.example.com"}, directory: server.URL + "/directory", roots: roots}
	certificates, err := flags.certificates(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ca.address = listener.Addr().String()
	ended := make(chan error, 1)
	go func() { ended <- https.New(https.Config{Certificates: certificates}).Serve(t.Context(), listener) }()
	t.Cleanup(func() {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	trusted := x509.NewCertPool()
	trusted.AddCert(ca.cert)
	dial := func(host string) error {
		dialer := &tls.Dialer{Config: &tls.Config{ServerName: host, RootCAs: trusted, NextProtos: []string{"http/1.1"}}}
		conn, err := dialer.DialContext(t.Context(), "tcp", ca.address)
		if err == nil {
			err = conn.Close()
		}
		return err
	}
	for range 2 { // the second time from memory
		if err := dial("rules.example.com"); err != nil {
			t.Fatalf("connecting: %v; the authority: checked %d times, valid %v %s", err, ca.checked, ca.valid, ca.wrongCert)
		}
	}
	if err := dial("evil.example.com"); err == nil {
		t.Error("a certificate for a host that is not among the hosts")
	}
	ca.mu.Lock()
	defer ca.mu.Unlock()
	if !ca.agreed {
		t.Error("the terms were not accepted")
	}
	if ca.checked != 1 || ca.host != "rules.example.com" {
		t.Errorf("checked %d times, for %s", ca.checked, ca.host)
	}
	if left := time.Until(certificates.Expires()); left < 89*24*time.Hour || left > 91*24*time.Hour {
		t.Errorf("expires in %v, want 90 days", left)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) < 2 {
		t.Errorf("stored %v %v, want the account's key and the certificate", entries, err)
	}
}

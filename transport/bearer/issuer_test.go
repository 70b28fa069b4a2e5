package bearer_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// An issuer is a small one of access tokens: discovery, keys, and signatures by
// the standard library alone.
type issuer struct {
	*httptest.Server
	rsa *rsa.PrivateKey
	ec  *ecdsa.PrivateKey
	ed  ed25519.PrivateKey

	mu    sync.Mutex
	away  bool
	shown map[string]any // JSON Web Keys, by kid
	asked map[string]int // questions, by path
}

func issue(t *testing.T) *issuer {
	t.Helper()
	i := &issuer{shown: map[string]any{}, asked: map[string]int{}}
	var err error
	if i.rsa, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
		t.Fatal(err)
	}
	if i.ec, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	if _, i.ed, err = ed25519.GenerateKey(rand.Reader); err != nil {
		t.Fatal(err)
	}
	i.shows("rsa", rsaKey("rsa", &i.rsa.PublicKey))
	point, err := i.ec.PublicKey.Bytes() // 4, x, y
	if err != nil {
		t.Fatal(err)
	}
	i.shows("ec", map[string]any{"kty": "EC", "crv": "P-256", "kid": "ec", "use": "sig", "x": b64(point[1:33]), "y": b64(point[33:])})
	i.shows("ed", map[string]any{"kty": "OKP", "crv": "Ed25519", "kid": "ed", "x": b64(i.ed.Public().(ed25519.PublicKey))})
	i.Server = httptest.NewServer(i)
	t.Cleanup(i.Close)
	return i
}

func (i *issuer) shows(kid string, key any) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.shown[kid] = key
}

func (i *issuer) withdraws(kid string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.shown, kid)
}

func (i *issuer) leaves(away bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.away = away
}

// questions are how often a path was asked for.
func (i *issuer) questions(path string) int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.asked[path]
}

func (i *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.asked[r.URL.Path]++
	var answer any
	switch {
	case i.away:
		http.Error(w, "away", http.StatusBadGateway)
		return
	case r.URL.Path == "/.well-known/openid-configuration":
		// It offers what must not be taken, as some issuers do.
		answer = map[string]any{"issuer": i.URL, "jwks_uri": i.URL + "/keys", "id_token_signing_alg_values_supported": []string{"RS256", "HS256", "none"}}
	case r.URL.Path == "/keys":
		keys := []any{}
		for _, key := range i.shown {
			keys = append(keys, key)
		}
		answer = map[string]any{"keys": keys}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // the client tells when it is broken
}

func b64(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

// rsaKey is a public key as JSON (RFC 7518, section 6.3).
func rsaKey(kid string, key *rsa.PublicKey) map[string]any {
	return map[string]any{"kty": "RSA", "kid": kid, "use": "sig", "alg": "RS256", "n": b64(key.N.Bytes()), "e": b64(big.NewInt(int64(key.E)).Bytes())}
}

// A claims is the claims of a token.
type claims map[string]any

// with is the claims with one changed; nil removes it.
func (c claims) with(name string, value any) claims {
	changed := maps.Clone(c)
	if changed[name] = value; value == nil {
		delete(changed, name)
	}
	return changed
}

// A signer makes the signature of RFC 7515, section 5.1.
type signer func(t *testing.T, text string) []byte

// jwt is a token with a header and claims.
func jwt(t *testing.T, header map[string]any, c claims, sign signer) string {
	t.Helper()
	head, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	text := b64(head) + "." + b64(body)
	return text + "." + b64(sign(t, text))
}

func byRSA(key *rsa.PrivateKey) signer {
	return func(t *testing.T, text string) []byte {
		t.Helper()
		sum := sha256.Sum256([]byte(text))
		signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
		if err != nil {
			t.Fatal(err)
		}
		return signature
	}
}

func byEC(key *ecdsa.PrivateKey) signer {
	return func(t *testing.T, text string) []byte {
		t.Helper()
		sum := sha256.Sum256([]byte(text))
		r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
		if err != nil {
			t.Fatal(err)
		}
		return append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
	}
}

func byEd(key ed25519.PrivateKey) signer {
	return func(_ *testing.T, text string) []byte { return ed25519.Sign(key, []byte(text)) }
}

// byPublicKey signs with what everybody knows, as if it were a secret.
func byPublicKey(key *rsa.PublicKey) signer {
	return func(t *testing.T, text string) []byte {
		t.Helper()
		der, err := x509.MarshalPKIXPublicKey(key)
		if err != nil {
			t.Fatal(err)
		}
		mac := hmac.New(sha256.New, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
		mac.Write([]byte(text))
		return mac.Sum(nil)
	}
}

func byNobody(*testing.T, string) []byte { return nil }

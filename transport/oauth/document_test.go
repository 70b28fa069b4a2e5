package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// Only addresses of the public Internet are connected to, and only the port of https: the
// check sees what is connected to, after names were resolved.
func TestOnlyPublic(t *testing.T) {
	for _, address := range []string{
		"127.0.0.1:443", "127.8.8.8:443", "169.254.169.254:443", "10.0.0.1:443", "172.16.0.1:443", "192.168.1.1:443", "100.64.0.1:443", "0.0.0.0:443",
		"224.0.0.1:443", "255.255.255.255:443", "198.18.0.1:443", "192.0.2.1:443", "[::1]:443", "[::]:443", "[fe80::1]:443", "[fe80::1%25eth0]:443", "[fd00::1]:443",
		"[::ffff:127.0.0.1]:443", "[::ffff:8.8.8.8]:443", "[::127.0.0.1]:443", "[64:ff9b::7f00:1]:443", "[64:ff9b:1::1]:443", "[2002:7f00:1::]:443", "[2001::1]:443",
		"[2001:db8::1]:443", "[ff02::1]:443", "8.8.8.8:80", "8.8.8.8:22", "8.8.8.8", "",
	} {
		if onlyPublic("tcp4", address, nil) == nil {
			t.Errorf("%s is connected to", address)
		}
	}
	for _, address := range []string{"8.8.8.8:443", "[2606:4700::1111]:443"} {
		if err := onlyPublic("tcp", address, nil); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	if onlyPublic("udp", "8.8.8.8:443", nil) == nil {
		t.Error("UDP is sent")
	}
}

// A name that resolves to this machine when it is connected to is not fetched, whatever it
// resolved to before.
func TestRebinding(t *testing.T) {
	var reached atomic.Bool
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) }))
	defer server.Close()
	var d documents
	d.init(time.Now)
	transport, _ := d.client.Transport.(*http.Transport)
	direct := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return direct(ctx, network, server.Listener.Addr().String()) // what DNS says now
	}
	if _, err := d.find(t.Context(), "https://client.example/id", netip.Addr{}); err == nil || !strings.Contains(err.Error(), errPrivate.Error()) {
		t.Errorf("fetched: %v", err)
	}
	if _, err := d.find(t.Context(), "https://localhost/id", netip.Addr{}); err == nil || reached.Load() {
		t.Errorf("localhost: %v, reached %v", err, reached.Load())
	}
}

// Ids that are no plain https URLs with a path are refused before anything is fetched.
func TestDocumentURLs(t *testing.T) {
	for _, id := range []string{
		"http://client.example/id", "https://client.example", "https://client.example/", "https://client.example/a/../id", "https://client.example/./id",
		"https://user@client.example/id", "https://client.example/id#a", "https://client.example/id?a=b", "https://client.example:8443/id", "https:///id",
		"https://client.example/" + strings.Repeat("a", 500), "https://client.example/a\\b", "https://client.example/%2e%2e/id",
	} {
		if checkDocumentURL(id) == nil {
			t.Errorf("%s is an id", id)
		}
	}
	if err := checkDocumentURL("https://claude.ai/oauth/mcp-oauth-client-metadata"); err != nil {
		t.Error(err)
	}
}

// served returns documents that are fetched from a handler, as if it were public.
func served(t *testing.T, now func() time.Time, handler http.HandlerFunc) *documents {
	t.Helper()
	server := httptest.NewTLSServer(handler)
	t.Cleanup(server.Close)
	d := new(documents)
	d.init(now)
	trusting, _ := server.Client().Transport.(*http.Transport)
	trusting = trusting.Clone()
	trusting.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
	}
	d.client.Transport = trusting // its certificate is for example.com
	return d
}

const documentID = "https://example.com/client.json"

// A document names itself and its redirects; it is fetched once in an hour.
func TestDocuments(t *testing.T) {
	now, fetched := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), 0
	d := served(t, func() time.Time { return now }, func(w http.ResponseWriter, _ *http.Request) {
		fetched++
		_ = json.NewEncoder(w).Encode(map[string]any{"client_id": documentID, "client_name": "A \u202ehost\n", "redirect_uris": []string{"http://127.0.0.1/cb"}})
	})
	for range 3 {
		c, err := d.find(t.Context(), documentID, netip.Addr{})
		if err != nil || c.Name != "A host" || c.Host != "example.com" || len(c.Redirects) != 1 || c.ID != documentID {
			t.Fatalf("%+v, %v", c, err)
		}
	}
	if now = now.Add(time.Hour); fetched != 1 {
		t.Errorf("%d fetches", fetched)
	}
	if _, err := d.find(t.Context(), documentID, netip.Addr{}); err != nil || fetched != 2 {
		t.Errorf("after an hour: %v, %d fetches", err, fetched)
	}
}

// Documents that are too large, that are elsewhere or that name another client are refused.
func TestBadDocuments(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"large": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 1<<20)) },
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://example.com/other", http.StatusFound)
		},
		"no document": http.NotFound,
		"other": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"client_id":"https://example.com/other"}`))
		},
		"no JSON": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`<html>`)) },
		"a secret": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"client_id":"` + documentID + `","token_endpoint_auth_method":"client_secret_basic"}`))
		},
	} {
		d := served(t, time.Now, handler)
		if c, err := d.find(t.Context(), documentID, netip.Addr{}); err == nil {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// One address causes a few fetches in a minute, and what is remembered is bounded.
func TestFetchesAreBounded(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	d := served(t, func() time.Time { return now }, http.NotFound)
	from := netip.MustParseAddr("192.0.2.1")
	for i := range 2 * maxDocuments {
		if i%fetchesEach == 0 {
			now = now.Add(time.Minute)
		}
		_, _ = d.find(t.Context(), "https://example.com/"+strings.Repeat("a", i%400+1)+string(rune('a'+i/400)), from)
	}
	if len(d.known) > maxDocuments {
		t.Errorf("%d documents are remembered", len(d.known))
	}
	now = now.Add(time.Minute)
	for i := range fetchesEach + 1 {
		_, err := d.find(t.Context(), "https://example.com/x"+strings.Repeat("b", i), from)
		refused, _ := errors.AsType[*oauthError](err)
		if limited := refused != nil && refused.status == http.StatusTooManyRequests; limited != (i == fetchesEach) {
			t.Errorf("fetch %d: %v", i, err)
		}
	}
}

// A known client gets only its own redirects without a fetch.
func TestKnownRedirects(t *testing.T) {
	claude := KnownClients[0]
	if c, ok := knownClient(claude.ID, claude.Redirects[0]); !ok || c.Name != "Claude" {
		t.Errorf("%+v, %t", c, ok)
	}
	for _, other := range []string{"https://chatgpt.com/connector_platform_oauth_redirect", claude.Redirects[0] + "/", "http://localhost/callback"} {
		if c, ok := knownClient(claude.ID, other); ok {
			t.Errorf("%s: %+v", other, c)
		}
	}
}

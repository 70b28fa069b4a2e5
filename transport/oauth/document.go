package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// The bounds of fetching metadata documents of clients.
const (
	documentFetch = 5 * time.Second // of one fetch
	maxDocument   = 16 << 10
	maxDocumentID = 500
	maxDocuments  = 256 // in memory
	documentFresh = time.Hour
	failureFresh  = time.Minute
	// maxFetches limits the fetches at one time, and fetchesEach those that browsers of one
	// address can cause in a minute.
	maxFetches  = 8
	fetchesEach = 10
)

// documents fetches and remembers the metadata documents of clients (OAuth Client ID Metadata
// Document).
type documents struct {
	client *http.Client
	now    func() time.Time

	mu       sync.Mutex
	known    map[string]remembered
	fetching int
	minute   time.Time
	caused   map[netip.Addr]int // fetches in this minute
}

// A remembered holds the result of a fetch.
type remembered struct {
	client client
	err    error
	until  time.Time
}

func (d *documents) init(now func() time.Time) {
	d.now, d.known = now, map[string]remembered{}
	dialer := &net.Dialer{Timeout: documentFetch, Control: onlyPublic}
	d.client = &http.Client{
		Timeout: documentFetch,
		// No proxy: its addresses could not be checked.
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSHandshakeTimeout: documentFetch, DisableKeepAlives: true,
			MaxResponseHeaderBytes: 16 << 10, ForceAttemptHTTP2: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// onlyPublic refuses to connect to an address that is not public. It sees the address that is
// connected to, so that a name cannot have one when it is checked and another one then.
func onlyPublic(network, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !strings.HasPrefix(network, "tcp") || to.Port() != 443 || !isPublic(to.Addr()) {
		return errPrivate
	}
	return nil
}

var errPrivate = errors.New("the address of the client's document is not a public one at port 443")

// special are the ranges of addresses that are not global, or lead to others (the registries
// of special-purpose addresses of IANA, RFC 6890).
var special = func() (all []netip.Prefix) {
	for _, text := range []string{
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
		"192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3",
		"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
	} {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}()

// globalV6 are the global unicast addresses of IPv6 (RFC 4291, section 2.4): mapped, translated
// and local ones are outside.
var globalV6 = netip.MustParsePrefix("2000::/3")

// isPublic reports whether an address is one of the public Internet.
func isPublic(a netip.Addr) bool {
	if a.Zone() != "" || a.Is6() && !globalV6.Contains(a) { // also IPv4 addresses written as IPv6
		return false
	}
	return !slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(a) })
}

// find returns the client whose document is at a URL.
func (d *documents) find(ctx context.Context, id string, from netip.Addr) (client, error) {
	if err := checkDocumentURL(id); err != nil {
		return client{}, err
	}
	found, ok, err := d.recall(id, from)
	if err != nil {
		return client{}, err
	}
	if ok {
		return found.client, found.err
	}
	c, err := d.fetch(ctx, id)
	fresh := documentFresh
	if err != nil {
		fresh = failureFresh
		err = &oauthError{code: "invalid_client", description: err.Error()}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fetching--
	for other := range d.known { // any one makes room
		if len(d.known) < maxDocuments {
			break
		}
		delete(d.known, other)
	}
	d.known[id] = remembered{c, err, d.now().Add(fresh)}
	return c, err
}

// recall returns what is remembered of a document. Without that it counts a fetch, which the
// caller must make, or returns an error if there are too many.
func (d *documents) recall(id string, from netip.Addr) (found remembered, ok bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now()
	if found, ok := d.known[id]; ok && now.Before(found.until) {
		return found, true, nil
	}
	if minute := now.Truncate(time.Minute); !minute.Equal(d.minute) {
		d.minute, d.caused = minute, map[netip.Addr]int{}
	}
	if d.fetching >= maxFetches || d.caused[from] >= fetchesEach {
		return remembered{}, false, &oauthError{code: "temporarily_unavailable", description: "too many documents of clients are being fetched; try again in a minute", status: http.StatusTooManyRequests}
	}
	d.fetching++
	d.caused[from]++
	return found, false, nil
}

// checkDocumentURL refuses URLs that are no ids of clients.
func checkDocumentURL(id string) error {
	u, ok := parseRedirect(id)
	if !ok || len(id) > maxDocumentID || u.Scheme != "https" || u.Host == "" || strings.TrimSuffix(u.Path, "/") == "" ||
		u.RawQuery != "" || u.Port() != "" && u.Port() != "443" || strings.Contains(id, "%") || u.JoinPath().Path != u.Path {
		return &oauthError{code: "invalid_client", description: "client_id is no https URL of a metadata document: it has a path without dots, and no port, query or fragment"}
	}
	return nil
}

// fetch fetches a document. The caller has counted it.
func (d *documents) fetch(ctx context.Context, id string) (client, error) {
	ctx, stop := context.WithTimeout(ctx, documentFetch)
	defer stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, id, nil)
	if err != nil {
		return client{}, errors.New("client_id is no URL")
	}
	req.Header.Set("Accept", "application/json")
	resp, err := d.client.Do(req)
	if errors.Is(err, errPrivate) {
		return client{}, errPrivate
	}
	if err != nil {
		return client{}, errors.New("the document of the client cannot be fetched")
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	if resp.StatusCode != http.StatusOK {
		return client{}, fmt.Errorf("the document of the client cannot be fetched: status %d", resp.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxDocument+1))
	if err != nil || len(text) > maxDocument {
		return client{}, fmt.Errorf("the document of the client cannot be read, or has more than %d bytes", maxDocument)
	}
	return readDocument(id, req.URL.Hostname(), text)
}

// readDocument reads a document, which must name its own URL.
func readDocument(id, host string, text []byte) (client, error) {
	var said struct {
		ID        string   `json:"client_id"`
		Name      string   `json:"client_name"`
		Redirects []string `json:"redirect_uris"`
		Method    string   `json:"token_endpoint_auth_method"`
		Secret    string   `json:"client_secret"`
	}
	switch err := json.Unmarshal(text, &said); {
	case err != nil:
		return client{}, errors.New("the document of the client is not JSON")
	case said.ID != id:
		return client{}, errors.New("the document of the client names another client_id")
	case said.Secret != "" || said.Method != "" && said.Method != "none":
		return client{}, errors.New("the document of the client has a way to authenticate that this server does not have; it must be none")
	case len(said.Redirects) > maxRedirects*2:
		return client{}, errors.New("the document of the client has too many redirect_uris")
	}
	return client{ID: id, Name: plainName(said.Name), Redirects: said.Redirects, Host: host}, nil
}

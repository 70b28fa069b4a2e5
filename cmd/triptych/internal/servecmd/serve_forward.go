package servecmd

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/peers"
	"github.com/triptych-mcp/triptych/transport/https"
	"github.com/triptych-mcp/triptych/transport/peer"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// checkPeerURL refuses a --peer-url that other servers could not reach.
func (f *serveFlags) checkPeerURL() error {
	if f.peerURL == "" {
		return nil
	}
	u, err := url.Parse(f.peerURL)
	switch {
	case err != nil || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.User != nil || u.Fragment != "":
		return cmderr.UsageErrorf("--peer-url %s: want a URL without a path, such as https://10.0.0.1:8443", f.peerURL)
	case f.plain && u.Scheme != "http" || !f.plain && u.Scheme != "https":
		return cmderr.UsageErrorf("--peer-url %s: want https, or http with --plain-http", f.peerURL)
	}
	return nil
}

// connectPeers connects the endpoint with the other servers of the store, nil without
// one. It returns the handler to serve in place of the endpoint.
func (f *serveFlags) connectPeers(s *services, cfg *streamable.Config, certificates *https.Certificates) (accept func(http.Handler) http.Handler, err error) {
	accept = func(h http.Handler) http.Handler { return h }
	cfg.SessionSecret = s.secret
	if s.client == nil {
		if f.peerURL != "" {
			return nil, cmderr.WithHints(cmderr.UsageErrorf("--peer-url is for servers that share a store"), "name one with --store valkey://…")
		}
		return accept, nil
	}
	cfg.Peers = s.peers
	if f.peerURL == "" {
		return accept, nil
	}
	if err := register(s.registry, f.peerURL, certificates); err != nil {
		return nil, err
	}
	key := peer.NewKey(s.secret)
	client := peer.NewClient(peer.Config{Key: key, Self: s.registry.Tag(), Servers: s.registry})
	s.closers = append(s.closers, client.Close)
	cfg.Forward, cfg.Owner = client, s.owners.Owner
	return func(h http.Handler) http.Handler { return peer.Accept(key, s.registry.Tag(), h) }, nil
}

// peerName is the name for which a server whose certificates are managed has one that other
// servers of its store trust. RFC 6762, appendix G, lists .internal for private use.
const peerName = "peer.triptych.internal"

// register registers the address of a server, and its certificate, nil for plain HTTP. A
// certificate that an authority issues is for a public host and changes, so other servers get
// one of this process.
func register(registry *peers.Registry, url string, certificates *https.Certificates) error {
	sum := func() string { return "" }
	switch {
	case certificates == nil:
	case certificates.Managed():
		own, err := certificates.ServeOwn(peerName)
		if err != nil {
			return err
		}
		registry.SetTLSName(peerName)
		sum = func() string { return own }
	default:
		sum = func() string { return strings.ToLower(strings.ReplaceAll(certificates.Fingerprint(), ":", "")) }
	}
	registry.SetAddress(url, sum)
	return nil
}

// Package hostcheck decides which hosts a request may name. A web page that was
// made to believe that our address is its own (DNS rebinding) names another.
package hostcheck

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Hosts are the hosts that requests may name.
type Hosts struct {
	Loopback bool // the listener is bound to loopback: loopback names are taken
	// Addresses takes every IP address: a page that rebinds a name sends the name.
	Addresses bool
	Names     []string // further names, without a port; without Loopback, an empty list takes all
}

// Allows reports whether a request may have this Host.
func (h Hosts) Allows(host string) bool {
	if !h.Loopback && !h.Addresses && len(h.Names) == 0 {
		return true
	}
	name := hostname(host)
	return h.Loopback && IsLoopback(name) || h.Addresses && isAddress(name) ||
		slices.ContainsFunc(h.Names, func(n string) bool { return strings.EqualFold(n, name) })
}

// Handler refuses requests for other hosts.
func (h Hosts) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !h.Allows(r.Host) {
			http.Error(w, "this host is not served here", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// IsLoopback reports whether a host name or address is one of this machine
// alone.
func IsLoopback(name string) bool {
	if strings.EqualFold(name, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && addr.IsLoopback()
}

func isAddress(name string) bool {
	_, err := netip.ParseAddr(name)
	return err == nil
}

// hostname returns a Host header without its port and brackets.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}

package oauth

import (
	"context"
	"net/netip"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A client is a program that asks for tokens.
type client struct {
	ID        string   `json:"-"`
	Name      string   `json:"n,omitzero"` // what it calls itself
	Redirects []string `json:"r"`
	Host      string   `json:"-"` // of its metadata document; "" if it is registered
}

const (
	registered = "reg_" // begins the id of a registered client
	maxName    = 100
	// maxRedirects limits the redirects of a client; VS Code has six.
	maxRedirects = 10
)

// findClient returns the client with an id that asks for a redirect, for a browser whose address
// is from.
func (s *Server) findClient(ctx context.Context, id, redirect string, from netip.Addr) (client, error) {
	if sealed, ok := strings.CutPrefix(id, registered); ok {
		c := client{}
		if !s.sealer.open("client", sealed, &c) {
			return c, &oauthError{code: "invalid_client", description: "the client is not registered here; it has to register again"}
		}
		c.ID = id
		return c, nil
	}
	if known, ok := knownClient(id, redirect); ok {
		return known, nil
	}
	if strings.HasPrefix(id, "https://") {
		return s.documents.find(ctx, id, from)
	}
	return client{}, &oauthError{code: "invalid_client", description: "client_id is neither the https URL of a metadata document nor one that registration has returned"}
}

// plainName returns what a client calls itself, cut and without what is not printable: people
// decide by it.
func plainName(text string) string {
	text = strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) || c == utf8.RuneError {
			return -1
		}
		return c
	}, text)
	if all := []rune(text); len(all) > maxName {
		text = string(all[:maxName])
	}
	return strings.TrimSpace(text)
}

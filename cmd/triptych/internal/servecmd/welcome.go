package servecmd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/transport/https"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
)

// welcome prints where the server is, and the first key if there was none.
func (s *server) welcome(ctx context.Context, addr net.Addr) error {
	url := "https://" + s.flags.reachable(addr) + "/mcp"
	if s.certificates == nil {
		url = "http://" + s.flags.reachable(addr) + "/mcp"
	}
	fmt.Fprintf(s.Err, "triptych: serving %s\n", url)
	if on, _ := s.flags.hasConsole(); on {
		fmt.Fprintf(s.Err, "triptych: pages for people at %s\n", strings.TrimSuffix(url, "mcp"))
	}
	if s.certificates != nil && s.certificates.File() != "" {
		fmt.Fprintf(s.Err, "triptych: certificate %s, SHA-256 %s\n", s.certificates.File(), s.certificates.Fingerprint())
	}
	store := &app.RecordedKeys{Store: s.services.keys, Record: s.services.recorder.RecordAdministration}
	record, token, err := store.CreateFirst(ctx, keys.Live, keys.Settings{
		Name: "first key", Plan: quota.Enterprise, Scopes: s.KeyScopes(), Own: quota.Limits{Month: 10_000_000, Minute: 60_000},
	})
	switch {
	case errors.Is(err, keys.ErrLost):
		return app.WithHints(err, "restore the store from a backup and check that it evicts no keys (triptych doctor); or start again with triptych key create")
	case err != nil:
		return fmt.Errorf("making the first key: %w", err)
	case record.ID == "":
		return nil // there are keys
	}
	return s.printFirstKey(url, record.ID, token)
}

// printFirstKey prints a key to standard output, and beside it a command that uses it.
func (s *server) printFirstKey(url, id string, token keys.Token) error {
	fmt.Fprintf(s.Err, "triptych: there was no key yet; this is %s, and it is not shown again:\n", id)
	trust := ""
	if own := s.ownCertificate(); own != nil {
		trust = " --cacert " + own.File()
	}
	err := s.Printf("%s\n", token.Reveal())
	fmt.Fprintf(s.Err, "triptych: try\n\ncurl%s %s \\\n  -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' \\\n"+
		"  -d '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}'\n\n", trust, url, token.Reveal())
	if err != nil {
		return fmt.Errorf("printing the first key: %w", err)
	}
	return nil
}

// ownCertificate returns the certificates if the server has made them itself, else nil.
func (s *server) ownCertificate() *https.Certificates {
	if s.certificates == nil || s.flags.cert != "" || s.certificates.File() == "" {
		return nil
	}
	return s.certificates
}

package servecmd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/recorder"
	"github.com/triptych-mcp/triptych/transport/https"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
)

// welcome says where the server is, and shows the first key if there was none.
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
	store := &recorder.RecordedKeys{Store: s.services.keys, Record: s.services.recorder.RecordAdministration}
	record, token, err := store.CreateFirst(ctx, keys.Live, keys.Settings{
		Name: "first key", Plan: quota.Enterprise, Scopes: s.app.KeyScopes(), Own: quota.Limits{Month: 10_000_000, Minute: 60_000},
	})
	switch {
	case errors.Is(err, keys.ErrLost):
		return cmderr.WithHints(err, "restore the store from a backup and check that it evicts no keys (triptych doctor); or start again with triptych key create")
	case err != nil:
		return fmt.Errorf("making the first key: %w", err)
	case record.ID == "":
		return nil // there are keys
	}
	return s.showFirstKey(url, record.ID, token)
}

// ownCertificate returns the certificates if the server has made them itself, else nil.
func (s *server) ownCertificate() *https.Certificates {
	if s.certificates == nil || s.flags.cert != "" || s.certificates.File() == "" {
		return nil
	}
	return s.certificates
}

package servecmd

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/buildinfo"
	"github.com/triptych-mcp/triptych/transport/httpclient"
	"github.com/triptych-mcp/triptych/transport/https"
)

// acmeFlags are the flags of certificates that an authority issues by ACME (RFC 8555).
type acmeFlags struct {
	hosts     []string
	directory string
	roots     string
}

func (f *acmeFlags) register(set *pflag.FlagSet) {
	set.StringSliceVar(&f.hosts, "acme-host", nil, "get and renew a certificate for this public `host` by ACME; repeatable\nThat is to accept the terms of the authority. The host must reach this server at port 443.")
}

// registerAuthority registers the settings of the authority.
func (f *acmeFlags) registerAuthority(set *pflag.FlagSet) {
	set.StringVar(&f.directory, "acme-directory", autocert.DefaultACMEDirectory, "the directory of the authority, a `url`")
	set.StringVar(&f.roots, "acme-roots", "", "trust the certificates in this PEM `file` when talking to the authority\nIt is for an authority of your own.")
}

// certificates returns the certificates of the hosts, which are stored in a folder.
func (f *acmeFlags) certificates(dir string, log *slog.Logger) (*https.Certificates, error) {
	client := &acme.Client{DirectoryURL: f.directory, UserAgent: "triptych/" + buildinfo.Read().Version}
	if f.roots != "" {
		pem, err := os.ReadFile(f.roots)
		if err != nil {
			return nil, err
		}
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s has no certificate", f.roots)
		}
		client.HTTPClient = httpclient.Client(&http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}})
		client.HTTPClient.Timeout = time.Minute
	}
	manager := &autocert.Manager{
		Prompt: autocert.AcceptTOS, Cache: autocert.DirCache(dir), HostPolicy: autocert.HostWhitelist(f.hosts...), Client: client,
	}
	return https.Managed(func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		pair, err := manager.GetCertificate(hello)
		if err != nil {
			log.Warn("there is no certificate for a client", "host", hello.ServerName, "err", err)
		}
		return pair, err
	}, log), nil
}

package app

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/transport/httpclient"
)

// remoteFlags say which server a command talks to; without a URL it is one in
// this process.
type remoteFlags struct{ URL, key, keyEnv, keyFile, CACert string }

func (f *remoteFlags) Register(set *pflag.FlagSet) {
	set.StringVar(&f.URL, "url", "", "ask the server at this `url` instead of one in this process (TRIPTYCH_URL)\nIt is one such as https://127.0.0.1:8443/mcp.")
	set.StringVar(&f.key, "key", "", "show it this `key`; others may see command lines (TRIPTYCH_KEY)")
	set.StringVar(&f.keyEnv, "key-env", "", "show it the key in this environment `variable`")
	set.StringVar(&f.keyFile, "key-file", "", "show it the key in this `file`")
	set.StringVar(&f.CACert, "cacert", "", "trust the certificates in this PEM `file`\nOn loopback the one in the data folder is trusted anyway.")
}

// A Remote is a server somewhere else.
type Remote struct{ httpclient.Endpoint }

// DialRemote returns the server that the flags and the environment name, nil
// when they name none.
func (a *App) DialRemote() (*Remote, error) {
	f := &a.Flags.Remote
	r := &Remote{}
	r.URL, r.Key = cmp.Or(f.URL, a.Getenv("TRIPTYCH_URL")), cmp.Or(f.key, a.Getenv("TRIPTYCH_KEY"))
	if r.URL == "" {
		return nil, nil
	}
	if err := a.namedKey(&r.Key); err != nil {
		return nil, err
	}
	u, err := EndpointURL(r.URL)
	if err != nil {
		return nil, err
	}
	r.URL = u.String()
	r.HTTP, err = a.HTTPClient(u)
	return r, err
}

// HTTPClient returns a client for the server at a URL, which trusts the certificates of
// [App.TrustedFile] and follows no redirects.
func (a *App) HTTPClient(u *url.URL) (*http.Client, error) {
	roots, err := a.trusted(u)
	if err != nil {
		return nil, err
	}
	return httpclient.Client(&http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 10 * time.Second,
	}), nil
}

// namedKey sets the key to that of --key-env or --key-file.
func (a *App) namedKey(key *string) error {
	f := &a.Flags.Remote
	switch {
	case f.key != "" && f.keyEnv != "", f.key != "" && f.keyFile != "", f.keyEnv != "" && f.keyFile != "":
		return cmderr.UsageErrorf("give only one of --key, --key-env and --key-file")
	case f.keyEnv != "":
		if *key = a.Getenv(f.keyEnv); *key == "" {
			return fmt.Errorf("the variable %s, which --key-env names, is not set", f.keyEnv)
		}
	case f.keyFile != "":
		text, err := readKey(f.keyFile)
		if err != nil {
			return err
		}
		*key = text
	}
	return nil
}

// maxKeyFile is the size limit of a file with a key.
const maxKeyFile = 4 << 10

// readKey reads the only line of a file.
func readKey(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(file, maxKeyFile+1))
	if err != nil {
		return "", err
	}
	key := strings.TrimSpace(strings.TrimPrefix(string(text), "\ufeff"))
	if key == "" || len(text) > maxKeyFile || strings.ContainsAny(key, " \t\r\n") {
		return "", fmt.Errorf("%s has no key: want one line with the key alone", path)
	}
	return key, nil
}

// TrustedFile returns the file of the certificates that --cacert names, or that of this machine's
// own server; "" if there is none.
func (a *App) TrustedFile(u *url.URL) (string, error) {
	file := a.Flags.Remote.CACert
	if file == "" && IsLoopback(u.Hostname()) {
		data, err := a.DataDir()
		if err != nil {
			return "", err
		}
		if file = filepath.Join(data, "tls", "cert.pem"); !FileExists(file) {
			return "", nil
		}
	}
	return file, nil
}

// EndpointURL parses the URL of a server; one without a path gets that of the endpoint.
func EndpointURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, cmderr.UsageErrorf("--url is %q, want one such as https://127.0.0.1:8443/mcp", text)
	}
	if u.Path == "" || u.Path == "/" {
		u = u.JoinPath("mcp")
	}
	return u, nil
}

// trusted are the system's roots and those of --cacert or of our own server.
func (a *App) trusted(u *url.URL) (*x509.CertPool, error) {
	file, err := a.TrustedFile(u)
	if err != nil {
		return nil, err
	}
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s has no certificate", file)
	}
	return roots, nil
}

func FileExists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// WithReachHint adds advice to the error of a server that cannot be reached.
func WithReachHint(err error) error {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return cmderr.WithHints(err, "the server's certificate is not trusted; --cacert FILE trusts one, such as tls/cert.pem of the server's data folder")
	}
	if _, ok := errors.AsType[*httpclient.WrongAnswerError](err); ok {
		return cmderr.WithHints(err, "does --url name the endpoint? triptych serves it at /mcp", "does the network want you to sign in first? open the URL in a browser")
	}
	if _, ok := errors.AsType[*url.Error](err); ok {
		return cmderr.WithHints(err, "is the server running? triptych serve starts one")
	}
	return err
}

// A hintedConn adds advice to the errors of a connection.
type hintedConn struct{ *httpclient.Conn }

func (c hintedConn) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	answer, err := c.Conn.Call(ctx, method, params)
	return answer, WithReachHint(err)
}

func (c hintedConn) Notify(ctx context.Context, method string, params any) error {
	return WithReachHint(c.Conn.Notify(ctx, method, params))
}

// byeTime is the time for which the end of a session is told.
const byeTime = 2 * time.Second

// converseRemotely is converse with a server somewhere else.
func (a *App) converseRemotely(ctx context.Context, r *Remote) (*Conversation, error) {
	conn := &httpclient.Conn{Endpoint: r.Endpoint}
	return a.begin(ctx, hintedConn{conn}, func() error {
		ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), byeTime)
		defer stop()
		_ = conn.Close(ctx) // it was only to be polite
		return nil
	})
}

func IsLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// MaxArguments is the most that call reads from standard input.
const MaxArguments = 64 << 20

package valkeyconn

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"
)

// Parameters of a URL that name files. The files are read for each new
// connection, so that passwords and certificates can be replaced while the
// program runs.
const (
	passwordFile = "password_file"
	caFile       = "ca_file"
	certFile     = "cert_file"
	keyFile      = "key_file"
)

// A credentials holds the names of a store's files; "" for none.
type credentials struct{ password, ca, cert, key string }

// cutCredentials removes the parameters that name files from a URL.
func cutCredentials(plain string) (string, credentials, error) {
	u, err := url.Parse(plain)
	if err != nil {
		return "", credentials{}, errors.New("the store's URL cannot be read")
	}
	q := u.Query()
	c := credentials{q.Get(passwordFile), q.Get(caFile), q.Get(certFile), q.Get(keyFile)}
	for _, name := range []string{passwordFile, caFile, certFile, keyFile} {
		q.Del(name)
	}
	if c == (credentials{}) {
		return plain, c, nil
	}
	if (c.cert == "") != (c.key == "") {
		return "", c, fmt.Errorf("the store's URL: %s and %s belong together", certFile, keyFile)
	}
	if (c.ca != "" || c.cert != "") && u.Scheme != "rediss" {
		return "", c, fmt.Errorf("the store's URL: %s, %s and %s need TLS: begin it with valkeys:// or rediss://", caFile, certFile, keyFile)
	}
	u.RawQuery = q.Encode()
	return u.String(), c, nil
}

// provider returns a function that reads the password, nil without a file.
func (c credentials) provider(user string) func(context.Context) (string, string, error) {
	if c.password == "" {
		return nil
	}
	return func(context.Context) (string, string, error) {
		text, err := os.ReadFile(c.password)
		if err != nil {
			return "", "", fmt.Errorf("reading the store's password: %w", err)
		}
		return user, strings.TrimRight(string(text), "\r\n"), nil
	}
}

// connector returns a function that connects, with TLS if base is not nil.
func (c credentials) connector(base *tls.Config) func(ctx context.Context, network, addr string) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3}}
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		if base == nil {
			return dialer.DialContext(ctx, network, addr)
		}
		config, err := c.config(base)
		if err != nil {
			return nil, err
		}
		return (&tls.Dialer{NetDialer: dialer, Config: config}).DialContext(ctx, network, addr)
	}
}

// config returns a TLS configuration with the current certificates.
func (c credentials) config(base *tls.Config) (*tls.Config, error) {
	config := base.Clone()
	if c.ca != "" {
		text, err := os.ReadFile(c.ca)
		if err != nil {
			return nil, fmt.Errorf("reading the store's certificate authority: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s has no certificate", c.ca)
		}
	}
	if c.cert != "" {
		pair, err := tls.LoadX509KeyPair(c.cert, c.key)
		if err != nil {
			return nil, fmt.Errorf("reading the certificate for the store: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

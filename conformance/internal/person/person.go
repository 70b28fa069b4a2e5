// Package person answers the login page of a server as a person with a browser and a key does.
package person

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"strings"
)

// field finds the sealed value of a page.
var field = regexp.MustCompile(`name="(request|choice)" value="([^"]+)"`)

// Allow opens a page, pastes the key, allows the program, and returns where the browser is sent.
// certificate is the file of the server's certificate, "" for one over plain HTTP.
func Allow(ctx context.Context, page, key, certificate string) (to string, err error) {
	roots := x509.NewCertPool()
	if certificate != "" {
		pem, err := os.ReadFile(certificate)
		if err != nil || !roots.AppendCertsFromPEM(pem) {
			return "", fmt.Errorf("the certificate: %w", err)
		}
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return "", err
	}
	web := &http.Client{
		Jar: jar, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	defer web.CloseIdleConnections()
	send := func(method, to string, form url.Values) (*http.Response, error) {
		req, err := http.NewRequestWithContext(ctx, method, to, strings.NewReader(form.Encode()))
		if err != nil {
			return nil, err
		}
		if method == http.MethodPost {
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		return web.Do(req)
	}
	answered, err := send(http.MethodGet, page, nil)
	for _, form := range []url.Values{{"key": {key}}, {"do": {"allow"}}} {
		if err != nil {
			return "", err
		}
		text, readErr := io.ReadAll(answered.Body)
		_ = answered.Body.Close() // it was read
		found := field.FindSubmatch(text)
		if readErr != nil || found == nil {
			return "", fmt.Errorf("the page is %s, %w", text, readErr)
		}
		form.Set(string(found[1]), string(found[2]))
		at := *answered.Request.URL
		at.RawQuery = ""
		answered, err = send(http.MethodPost, at.String(), form)
	}
	if err != nil {
		return "", err
	}
	return answered.Header.Get("Location"), answered.Body.Close()
}

package setupcmd

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/hosts"
)

// hostPatience bounds each request that a host makes.
const hostPatience = 10 * time.Second

// visit plays the hosts against the server of --url, and prints a line for each.
func (a commands) visit(ctx context.Context, asJSON bool) error {
	server, err := a.app.DialRemote()
	if err != nil {
		return err
	}
	at, err := url.Parse(server.URL)
	if err != nil {
		return err
	}
	own, err := a.ownCertificate(ctx, at)
	if err != nil {
		return err
	}
	visit := hosts.Visit{URL: server.URL, Key: server.Key, HTTP: server.HTTP, Patience: hostPatience}
	var findings []finding
	found, login := walkLogin(ctx, server)
	played := hosts.All
	if server.Key == "" && found == hosts.HasLogin {
		findings, played = append(findings, finding{"hosts with a key", good, "not played, since no key was given", "--key-file names one"}), nil
	}
	for i := range played {
		report := visit.Play(ctx, &played[i])
		if err := ctx.Err(); err != nil {
			return err
		}
		findings = append(findings, hostFinding(&report, server.URL, own))
	}
	findings = append(findings, login...)
	if asJSON {
		return tell(a.IO, findings, true)
	}
	for i := range findings { // a line for each host
		f := &findings[i]
		if f.Hint != "" {
			f.Detail, f.Hint = f.Detail+"; "+f.Hint, ""
		}
	}
	return tell(a.IO, findings, false)
}

// walkLogin walks the login of a server as each host does. A server without one is for keys.
func walkLogin(ctx context.Context, server *app.Remote) (hosts.Found, []finding) {
	walk := hosts.Walk{URL: server.URL, HTTP: server.HTTP, Patience: hostPatience}
	found, fault := walk.Find(ctx)
	switch {
	case found == hosts.Unreached: // the hosts say why
		return found, nil
	case found == hosts.NoKey:
		return found, []finding{{"login", good, "the server takes requests without a key, so no host logs in", ""}}
	case found == hosts.NoLogin:
		return found, []finding{{"login", warning, "claude.ai, ChatGPT and other hosts without a field for a key cannot connect: the server has no login", fault.Do}}
	case fault != nil:
		return found, []finding{loginFinding("login", fault)}
	}
	var findings []finding
	for i := range hosts.Logins {
		l := &hosts.Logins[i]
		by, fault := walk.Play(ctx, l)
		f := finding{"login of " + l.Title, good, "the page opens, " + by, ""}
		if fault != nil {
			f = loginFinding(f.Check, fault)
		}
		findings = append(findings, f)
	}
	if fault := walk.Exchange(ctx); fault != nil {
		findings = append(findings, loginFinding("login", fault))
	}
	return found, findings
}

// loginFinding returns the finding of a login that fails.
func loginFinding(check string, fault *hosts.Fault) finding {
	return finding{check, failed, fault.Error(), fault.Do}
}

// hostFinding says what became of a host. own is the file of the server's own certificate,
// which hosts do not trust by themselves.
func hostFinding(r *hosts.Report, url, own string) finding {
	f := finding{Check: r.Host.Title, Status: good, Detail: r.Sees(url)}
	switch {
	case r.Trouble != hosts.None:
		f.Status, f.Hint = failed, r.Do()
		f.Detail = fmt.Sprintf("shows %q", f.Detail)
		if reason := r.Reason(url); reason != "" {
			f.Detail += " (" + reason + ")"
		}
	case own != "":
		f.Status, f.Hint = warning, "it must trust the certificate "+own+": "+strings.ReplaceAll(r.Host.Trust, "CERT.PEM", own)
	}
	return f
}

// ownCertificate returns the file of the certificates without which the server is not trusted,
// "" if the system trusts the server, or if there is no such file.
func (a commands) ownCertificate(ctx context.Context, at *url.URL) (string, error) {
	file, err := a.app.TrustedFile(at)
	if err != nil || file == "" || at.Scheme != "https" {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, hostPatience)
	defer cancel()
	port := at.Port()
	if port == "" {
		port = "443"
	}
	conn, err := new(tls.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(at.Hostname(), port))
	if err == nil {
		return "", conn.Close()
	}
	if _, unknown := errors.AsType[*tls.CertificateVerificationError](err); unknown {
		return file, nil
	}
	return "", nil // the visit finds out what is wrong
}

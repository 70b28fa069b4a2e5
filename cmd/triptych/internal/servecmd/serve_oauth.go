package servecmd

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/console"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/invite"
	"github.com/triptych-mcp/triptych/transport/oauth"
)

// oauthFlags are the flags of triptych serve about logins by OAuth.
type oauthFlags struct {
	on        bool
	redirects []string
}

func (f *oauthFlags) register(set *pflag.FlagSet) {
	set.BoolVar(&f.on, "oauth", false, "let people log in programs that cannot send a key, by a page that takes one\nclaude.ai is such a program. It is on unless set to false where --host, a certificate that clients trust and no --oidc-issuer are given.")
}

// registerRest registers the settings that few servers need.
func (f *oauthFlags) registerRest(set *pflag.FlagSet) {
	set.StringSliceVar(&f.redirects, "oauth-redirect", nil, "also let a login lead back to this `url` of a program; repeatable\nThose of claude.ai, chatgpt.com, vscode.dev and programs on the same machine need no flag.")
}

// oauthOn reports whether the server has a login. Without being asked, it has one where hosts
// can reach and trust it, and where no other issuer is named to them.
func (s *server) oauthOn() bool {
	f := s.flags
	if f.set.Changed("oauth") {
		return f.oauth.on
	}
	trusted := f.cert != "" || len(f.acme.hosts) > 0 || f.plain && len(f.proxies) > 0
	return len(f.hosts) > 0 && trusted && s.tokens.resource == nil
}

// check refuses redirects that no browser may be sent to.
func (f *oauthFlags) check() error {
	for _, text := range f.redirects {
		if !oauth.ValidRedirect(text) {
			return cmderr.UsageErrorf("--oauth-redirect: %q is no URL that a login can lead back to", text)
		}
	}
	return nil
}

// openLogin returns the login of the server.
func (s *server) openLogin() *oauth.Server {
	cfg := oauth.Config{
		Store: s.services.keys, Auth: s.auth, Secret: s.services.secret, Resource: s.resource, Scopes: s.app.Scopes(),
		Redirects: s.flags.oauth.redirects, AnyHost: s.anyHost(),
		Style: console.Style(), Record: s.services.recorder.RecordAdministrationBy,
		Now: s.app.Now, Logger: s.env.Logger.With("component", "oauth"),
	}
	if s.tokens.resource != nil {
		cfg.Issuers = []string{s.tokens.resource.Issuer()}
	}
	return oauth.New(cfg)
}

// anyHost reports whether pages that make URLs of the server are served to requests with any
// Host.
func (s *server) anyHost() bool {
	return s.tokens.address != nil || !s.flags.loopback() && len(s.flags.hosts) == 0
}

// invitations returns the pages of links that show a key once.
func (s *server) invitations() *invite.Server {
	return invite.New(invite.Config{
		Store: s.services.keys, Auth: s.auth, Resource: s.resource, Login: s.login != nil, AnyHost: s.anyHost(), Style: console.Style(),
		Record: s.services.recorder.RecordAdministrationBy, Now: s.app.Now, Logger: s.env.Logger.With("component", "invite"),
	})
}

// resource returns the URL of the endpoint as the sender of a request has it, for which tokens
// are made: that of --oidc-resource, else at the host of the request if that is one of --host,
// a name of loopback or an address, else that of [server.address].
func (s *server) resource(r *http.Request) *url.URL {
	if s.tokens.address != nil {
		return s.tokens.address
	}
	name := r.Host
	if host, _, err := net.SplitHostPort(name); err == nil {
		name = host
	}
	name = strings.Trim(name, "[]")
	_, err := netip.ParseAddr(name)
	behind := len(s.flags.hosts) > 0 && len(s.proxies) > 0 // a proxy may send its own name for the server
	known := slices.ContainsFunc(s.flags.hosts, func(host string) bool { return strings.EqualFold(host, name) })
	if known || !behind && (err == nil || app.IsLoopback(name)) {
		return &url.URL{Scheme: s.flags.scheme(), Host: strings.ToLower(r.Host), Path: "/mcp"}
	}
	return s.address(r)
}

package servecmd

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/transport/bearer"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/routes"
)

// oidcFlags are the flags of triptych serve about access tokens.
type oidcFlags struct {
	issuer, audience, resource string
	plan                       string
	types                      []string
	groups                     map[string]string
	own                        quota.Limits
}

func (f *oidcFlags) register(set *pflag.FlagSet) {
	set.StringVar(&f.issuer, "oidc-issuer", "", "besides keys, take access tokens of the OpenID issuer at this `url` (TRIPTYCH_OIDC_ISSUER)")
	set.StringVar(&f.audience, "oidc-audience", "", "take tokens that were made for this `audience` (TRIPTYCH_OIDC_AUDIENCE)")
}

// registerRest registers the settings that few issuers need.
func (f *oidcFlags) registerRest(set *pflag.FlagSet) {
	set.StringVar(&f.resource, "oidc-resource", "", "tell clients without a token that the server is at this `url` (TRIPTYCH_OIDC_RESOURCE)\ndefault: the audience")
	set.StringSliceVar(&f.types, "oidc-token-type", []string{"at+jwt"}, "take tokens of these types, a comma-separated `list`\nIt is JWT for issuers that send no at+jwt; any takes all.")
	set.StringVar(&f.plan, "oidc-plan", "", "the plan of everybody with a token: `free|developer|team|enterprise` (TRIPTYCH_OIDC_PLAN)")
	set.StringToStringVar(&f.groups, "oidc-group", nil, "give members of a group the key with this id, `group=key`; repeatable\nThe claim groups of a token names the groups. They get the rights, the quota and the addresses of the key.")
	set.Int64Var(&f.own.Month, "oidc-month", 0, "the `number` of requests a month of the plan enterprise; 0 is any number")
	set.Int64Var(&f.own.Minute, "oidc-minute", 0, "the `number` of requests a minute of the plan enterprise; 0 is any number")
}

// issuerServices are the parts of a server with an issuer; zero without one.
type issuerServices struct {
	tokens   bearer.Verifier
	resource *bearer.Resource
	address  *url.URL // at which clients reach the endpoint, nil if that is not configured
}

// open checks the flags and the environment. It asks the issuer nothing yet.
func (f oidcFlags) open(a commands) (issuerServices, error) {
	f.issuer = cmp.Or(f.issuer, a.app.Getenv("TRIPTYCH_OIDC_ISSUER"))
	f.audience = cmp.Or(f.audience, a.app.Getenv("TRIPTYCH_OIDC_AUDIENCE"))
	f.resource = cmp.Or(f.resource, a.app.Getenv("TRIPTYCH_OIDC_RESOURCE"), f.audience)
	f.plan = cmp.Or(f.plan, a.app.Getenv("TRIPTYCH_OIDC_PLAN"), string(quota.Free))
	if f.issuer == "" {
		if f.audience != "" {
			return issuerServices{}, cmderr.UsageErrorf("--oidc-audience needs --oidc-issuer")
		}
		address, err := f.address()
		return issuerServices{address: address}, err
	}
	if err := f.check(); err != nil {
		return issuerServices{}, err
	}
	plan, err := quota.ParsePlan(f.plan)
	if err == nil {
		err = plan.CheckOwn(f.own)
	}
	if err != nil {
		return issuerServices{}, cmderr.UsageErrorf("--oidc-plan: %v", err)
	}
	resource, err := bearer.NewResource(f.resource, f.issuer, a.app.Scopes()...)
	if err != nil {
		return issuerServices{}, cmderr.WithHints(cmderr.UsageErrorf("--oidc-resource: %v", err), "name the URL at which clients reach /mcp, such as https://mcp.example.com/mcp")
	}
	tokens := bearer.NewOIDC(bearer.OIDCConfig{
		Rules:  f.rules(),
		Issuer: f.issuer, Audience: f.audience, TokenTypes: f.types, Plan: plan, Limits: plan.Limits(f.own), Scopes: a.app.Scopes(), Now: a.app.Now,
	})
	address, err := f.address()
	return issuerServices{tokens: tokens, resource: resource, address: address}, err
}

// rules returns the rules of --oidc-group in the order of the groups.
func (f *oidcFlags) rules() (all []bearer.GroupRule) {
	for _, group := range slices.Sorted(maps.Keys(f.groups)) {
		all = append(all, bearer.GroupRule{Group: group, Key: f.groups[group]})
	}
	return all
}

// address returns the URL of --oidc-resource, nil without one.
func (f *oidcFlags) address() (*url.URL, error) {
	if f.resource == "" {
		return nil, nil
	}
	u, err := url.Parse(f.resource)
	if err != nil || u.Host == "" || u.User != nil {
		return nil, cmderr.UsageErrorf("--oidc-resource: %q is no URL of a server", f.resource)
	}
	return u, nil
}

// check refuses issuers whose keys could be exchanged on the way, and tokens for
// any server.
func (f *oidcFlags) check() error {
	u, err := url.Parse(f.issuer)
	switch {
	case err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return cmderr.UsageErrorf("--oidc-issuer: %q is no URL of an issuer", f.issuer)
	case u.Scheme != "https" && !app.IsLoopback(u.Hostname()):
		return cmderr.UsageErrorf("--oidc-issuer: %s is not https", f.issuer)
	case slices.ContainsFunc(f.rules(), func(r bearer.GroupRule) bool { return !strings.HasPrefix(r.Key, keys.IDPrefix) }):
		return cmderr.WithHints(cmderr.UsageErrorf("--oidc-group needs the id of a key for each group"), "triptych key list shows the ids")
	case strings.TrimSpace(f.audience) == "":
		return cmderr.WithHints(cmderr.UsageErrorf("--oidc-issuer needs --oidc-audience"), "without it, tokens for other servers would be good here")
	}
	return nil
}

// metadata returns the URL at which clients learn how to get a token, "" without an
// issuer.
func (r *issuerServices) metadata() string {
	if r.resource == nil {
		return ""
	}
	return r.resource.Metadata()
}

// scopes returns the scopes that clients should ask the issuer for, "" without an issuer.
func (r *issuerServices) scopes() string {
	if r.resource == nil {
		return ""
	}
	return r.resource.Scopes()
}

// routes returns the routes that tell clients about the issuer, or that there is none.
func (r *issuerServices) routes() []routes.Route {
	if r.resource == nil {
		return withoutLogin()
	}
	var all []routes.Route
	for _, path := range r.resource.Paths("/mcp") {
		if strings.HasSuffix(path, "/") {
			path += "{$}" // this path alone
		}
		all = append(all, readable(path, r.resource)...)
	}
	return all
}

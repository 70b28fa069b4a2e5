package keycmd

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/invite"
	"github.com/triptych-mcp/triptych/transport/keys"
)

// maxInvitation limits the time for which a link works: it is a secret that people send.
const maxInvitation = 30 * 24 * time.Hour

func (a commands) keyInvite() command.Command {
	var s keySettings
	var lasts, host, at string
	return command.Command{
		Name: "invite", Args: "NAME", Min: 1, Max: 1,
		Short: "make a key for a person, and print a link that shows it to them once",
		Long: "The link is the only thing to send: opened in a browser, it shows the key once and\n" +
			"what to do in each program; triptych config CLIENT --invite LINK does it in a shell,\n" +
			"and the login page of the server takes the link in place of a key. Programs that\n" +
			"fetch links to look at them do not use it up. If there is a key with the name or\n" +
			"id already, the link is for that one: using it gives the key another secret, except\n" +
			"at the login page. A new link ends the one before.",
		Example: "triptych key invite ann --scopes rulesets:read --for cursor --url https://rules.example.com",
		Flags: func(set *pflag.FlagSet) {
			s.registerRights(set, a.app.KeyScopes())
			set.StringVar(&lasts, "expires", "24h", "let the link work for this `time`, such as 2h or 7d; at most 30d")
			set.StringVar(&host, "for", "", "show first what to do in this `program`\nThe programs are "+strings.Join(invite.Hosts(), ", ")+".")
			command.Offer(set, "for", invite.Hosts())
			set.StringVar(&at, "url", "", "the server is at this `url` (TRIPTYCH_URL)\ndefault: host and listen of the configuration file\nIt is one such as https://rules.example.com.")
			a.app.KeysFlags(set)
		},
		Complete: a.completeKeys,
		Run: func(ctx context.Context, args []string) error {
			until, err := command.ParseSpan(lasts)
			if err != nil || until <= 0 || until > maxInvitation {
				return cmderr.UsageErrorf("--expires is %q, want a time of up to 30d, such as 24h or 7d", lasts)
			}
			if host != "" && !slices.Contains(invite.Hosts(), host) {
				return cmderr.UsageErrorf("--for is %q; there are %s", host, strings.Join(invite.Hosts(), ", "))
			}
			endpoint, err := a.publicEndpoint(at)
			if err != nil {
				return err
			}
			return a.withKeys(ctx, func(store keys.Store) error {
				r, err := a.invitee(ctx, store, args[0], &s)
				if err != nil {
					return err
				}
				_, token, err := store.Invite(ctx, r.ID, host, a.app.Now().Add(until))
				if err != nil {
					return err
				}
				fmt.Fprintf(a.Err, "triptych: the link below works once, until %s; it is not shown again\n", moment(a.app.Now().Add(until)))
				return a.Printf("%s\n", invite.Link(endpoint, token))
			})
		},
	}
}

// invitee returns the key that a word names, or a new one with that name.
func (a commands) invitee(ctx context.Context, store keys.Store, word string, s *keySettings) (keys.Record, error) {
	id, err := keyID(ctx, store, word)
	if err != nil {
		return keys.Record{}, err
	}
	if strings.HasPrefix(id, keys.IDPrefix) {
		r, err := store.Get(ctx, id)
		if err != nil || r.Revoked.IsZero() || id == word {
			return known(a.IO, r, s, err)
		}
	}
	settings, err := s.created(a, s.rights())
	if err != nil {
		return keys.Record{}, err
	}
	settings.Name = word
	r, _, err := store.Create(ctx, keys.Live, settings)
	if err == nil {
		tellKey(a.IO, "created", r)
	}
	return r, err
}

// known returns a key that there was already. What it may do is not changed.
func known(out *cmdio.IO, r keys.Record, s *keySettings, err error) (keys.Record, error) {
	switch {
	case err != nil:
		return r, err
	case s.given(s.rights()):
		return r, cmderr.WithHints(cmderr.UsageErrorf("there is a key %s (%s) already; an invitation does not change what it may do", r.ID, r.Name), "triptych key update "+r.ID+" does", "triptych key invite "+r.ID+" invites to it as it is")
	}
	tellKey(out, "the link is for", r)
	return r, nil
}

// publicEndpoint returns the URL of the endpoint of the server as its clients have it.
func (a commands) publicEndpoint(flag string) (string, error) {
	text := cmp.Or(flag, a.app.Getenv("TRIPTYCH_URL"))
	if text == "" {
		text = a.configuredURL()
	}
	if text == "" {
		return "", cmderr.WithHints(cmderr.UsageErrorf("key invite: the link needs the URL of the server"), "name it with --url https://rules.example.com, or in TRIPTYCH_URL")
	}
	u, err := app.EndpointURL(text)
	if err != nil {
		return "", err
	}
	if u.Scheme == "http" && !app.IsLoopback(u.Hostname()) {
		return "", cmderr.UsageErrorf("--url is %s, which would show the key in the clear; want https", text)
	}
	return u.String(), nil
}

// configuredURL returns the URL of the server by its configuration file, "" if that does not say.
func (a commands) configuredURL() string {
	host := cmp.Or(a.app.Configured("host"), a.app.Configured("acme-host"))
	if host == "" {
		return ""
	}
	u := url.URL{Scheme: "https", Host: host}
	_, port, err := net.SplitHostPort(cmp.Or(a.app.Configured("listen"), ":8443"))
	if err == nil && port != "443" && a.app.Configured("proxy") == "" { // a proxy has a port of its own
		u.Host = net.JoinHostPort(host, port)
	}
	return u.String()
}

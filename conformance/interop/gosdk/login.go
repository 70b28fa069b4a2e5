package main

import (
	"bufio"
	"context"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// callback is the redirect of the client. The test reads it from the answer of the page.
const callback = "http://127.0.0.1:33418/callback"

// logIn connects without a key and lists the tools, again for each line on standard input. It
// prints the pages that the person has to answer as attempts; a line is then the address to which
// the browser was sent.
func (r run) logIn(ctx context.Context) error {
	next, err := r.trusting()
	if err != nil {
		return err
	}
	web := &http.Client{Transport: next}
	lines := bufio.NewReader(os.Stdin)
	handler, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "interop", RedirectURIs: []string{callback}, TokenEndpointAuthMethod: "none", GrantTypes: []string{"authorization_code", "refresh_token"},
		}},
		RedirectURL: callback, Client: web,
		AuthorizationCodeFetcher: func(_ context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			if err := tell(attempt{Page: args.URL}); err != nil {
				return nil, err
			}
			line, err := lines.ReadString('\n')
			if err != nil {
				return nil, err
			}
			to, err := url.Parse(strings.TrimSpace(line))
			if err != nil {
				return nil, err
			}
			q := to.Query()
			return &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
		},
	})
	if err != nil {
		return err
	}
	for {
		if err := tell(r.visit(ctx, handler, web)); err != nil {
			return err
		}
		if _, err := lines.ReadString('\n'); err != nil {
			return err
		}
	}
}

// visit lists the tools in a session of its own.
func (r run) visit(ctx context.Context, handler auth.OAuthHandler, web *http.Client) attempt {
	client := mcp.NewClient(&mcp.Implementation{Name: "login", Version: "1.0.0"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: r.URL, HTTPClient: web, OAuthHandler: handler}, nil)
	if err != nil {
		return attempt{Error: err.Error()}
	}
	defer session.Close()
	return list(ctx, session)
}

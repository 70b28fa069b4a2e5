package setupcmd

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/clients"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/invite"
	"github.com/triptych-mcp/triptych/mcp/plain"
	"github.com/triptych-mcp/triptych/transport/keys"
)

// serverOfLink returns the URL of the endpoint of the server that has made a link.
func serverOfLink(c configRun) (string, error) {
	if c.url != "" {
		return "", cmderr.UsageErrorf("give --url or --invite, not both")
	}
	before, _, ok := strings.Cut(c.invite, invite.Path)
	if _, err := keys.ParseInvitation(c.invite); err != nil || !ok {
		return "", cmderr.WithHints(cmderr.UsageErrorf("--invite is no link of an invitation, or not all of it"), "copy the whole link, as in https://rules.example.com"+invite.Path+"kdb_join_…")
	}
	return before + "/mcp", nil
}

// linkTime bounds the use of a link.
const linkTime = 30 * time.Second

// useLink uses a link up and prints the key. It does so after all that can be checked before.
func (a commands) useLink(ctx context.Context, c configRun, client clients.Client, path string, entry clients.Entry) error {
	if c.write {
		old, err := clients.Read(path)
		if err == nil {
			_, err = client.Merge(old, entry)
		}
		if err != nil {
			return cmderr.WithHints(fmt.Errorf("%s: %w; the link was not used", path, err), "correct the file first, or leave --write out")
		}
	}
	u, err := url.Parse(c.invite)
	if err != nil {
		return err
	}
	web, err := a.app.HTTPClient(u)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, linkTime)
	defer cancel()
	got, err := redeem(ctx, web, u)
	if err != nil {
		return app.WithReachHint(err)
	}
	fmt.Fprintf(a.Err, "triptych: keep the key of %s below; it is not shown again\n%s=%s\n", cmp.Or(plain.Line(got.Name), got.ID), c.keyEnv, got.Key)
	return nil
}

// maxRedeemed limits the bytes of the answer of a server.
const maxRedeemed = 1 << 20

// redeem asks a server for the key of a link.
func redeem(ctx context.Context, web *http.Client, link *url.URL) (got invite.Redeemed, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, link.String(), http.NoBody)
	if err != nil {
		return got, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := web.Do(req)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		failed.URL = link.Scheme + "://" + link.Host // the link is a secret
	}
	if err != nil {
		return got, err
	}
	defer func() { _ = resp.Body.Close() }() // read as far as it matters
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxRedeemed))
	if err != nil {
		return got, err
	}
	var refused struct {
		Error string `json:"error"`
	}
	if resp.StatusCode != http.StatusOK {
		_ = json.Unmarshal(body, &refused) // another program says nothing that is of use
		return got, fmt.Errorf("the server answered %s: %s", resp.Status, cmp.Or(plain.Line(refused.Error), "it does not know the link"))
	}
	err = json.Unmarshal(body, &got)
	if token, bad := keys.ParseToken(got.Key); err != nil || bad != nil || !token.Kind().IsKey() {
		return invite.Redeemed{}, errors.New("the server answered something else than a key")
	}
	return got, nil
}

package oauth

import (
	"encoding/json"
	"net/http"
	"slices"
)

// register registers a client (RFC 7591) and stores nothing: the id that it gets holds its
// metadata, sealed. Redirects that are not allowed here are left out.
func (s *Server) register(w http.ResponseWriter, r *http.Request) {
	var said struct {
		Name      string   `json:"client_name"`
		Redirects []string `json:"redirect_uris"`
	}
	if err := json.NewDecoder(r.Body).Decode(&said); err != nil {
		writeError(w, &oauthError{code: "invalid_client_metadata", description: "the body is not the metadata of a client"})
		return
	}
	if len(said.Redirects) > maxRedirects {
		writeError(w, &oauthError{code: "invalid_redirect_uri", description: "a client has at most 10 redirect_uris"})
		return
	}
	c := client{Name: plainName(said.Name), Redirects: slices.DeleteFunc(said.Redirects, func(u string) bool { return !s.redirects.allow(u) })}
	if len(c.Redirects) == 0 {
		writeError(w, &oauthError{code: "invalid_redirect_uri", description: "no redirect_uris of the client are allowed here; " + allowHint})
		return
	}
	writeJSON(w, http.StatusCreated, map[string]any{
		"client_id": registered + s.sealer.seal("client", c), "client_id_issued_at": s.cfg.Now().Unix(),
		"client_name": c.Name, "redirect_uris": c.Redirects, "token_endpoint_auth_method": "none",
		"grant_types": []string{"authorization_code", "refresh_token"}, "response_types": []string{"code"},
	})
}

// allowHint says who can allow a redirect.
const allowHint = "the operator of the server can allow them with --oauth-redirect"

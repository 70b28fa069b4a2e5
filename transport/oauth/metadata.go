package oauth

import (
	"encoding/json"
	"net/http"
)

// document serves a public document.
func (s *Server) document(content func(*http.Request) map[string]any) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := json.Marshal(content(r))
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError) // never: they are texts
			return
		}
		header := w.Header()
		header.Set("Content-Type", "application/json")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Access-Control-Allow-Origin", "*") // it is public, and browsers need it
		header.Set("Cache-Control", "no-cache")        // it depends on the host
		_, _ = w.Write(text)                           // the client may have disconnected
	})
}

// serverMetadata returns the description of the authorization server (RFC 8414, section 2).
func (s *Server) serverMetadata(r *http.Request) map[string]any {
	issuer := s.issuer(r)
	return map[string]any{
		"issuer":                                         issuer,
		"authorization_endpoint":                         issuer + authorizePath,
		"token_endpoint":                                 issuer + tokenPath,
		"registration_endpoint":                          issuer + registerPath,
		"response_types_supported":                       []string{"code"},
		"response_modes_supported":                       []string{"query"},
		"grant_types_supported":                          []string{"authorization_code", "refresh_token", "client_credentials"},
		"token_endpoint_auth_methods_supported":          []string{"none", "client_secret_basic", "client_secret_post"},
		"code_challenge_methods_supported":               []string{methodS256},
		"scopes_supported":                               s.cfg.Scopes,
		"authorization_response_iss_parameter_supported": true, // RFC 9207
		"client_id_metadata_document_supported":          true,
	}
}

// resourceMetadata returns the description of the endpoint (RFC 9728, section 2).
func (s *Server) resourceMetadata(r *http.Request) map[string]any {
	return map[string]any{
		"resource": s.resource(r), "resource_name": "Triptych", "authorization_servers": append([]string{s.issuer(r)}, s.cfg.Issuers...),
		"scopes_supported": s.cfg.Scopes, "bearer_methods_supported": []string{"header"},
	}
}

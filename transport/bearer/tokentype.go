package bearer

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
)

// accessTokenType is the type of access tokens (RFC 9068, section 2.1). Other
// tokens of an issuer, ID tokens above all, are for other purposes.
const accessTokenType = "at+jwt"

// AnyTokenType is a member of [OIDCConfig.TokenTypes] that takes tokens of every
// type, and those without one.
const AnyTokenType = "any"

// takesType reports whether the header of a token names one of the types. Type
// names have no case, and may have the prefix application/ (RFC 7515, section
// 4.1.9).
func takesType(token string, types []string) bool {
	if slices.Contains(types, AnyTokenType) {
		return true
	}
	first, _, _ := strings.Cut(token, ".")
	text, err := base64.RawURLEncoding.DecodeString(first)
	var header struct {
		Type string `json:"typ"`
	}
	if err != nil || json.Unmarshal(text, &header) != nil {
		return false
	}
	has := shortType(header.Type)
	return has != "" && slices.ContainsFunc(types, func(t string) bool { return shortType(t) == has })
}

// shortType returns a media type without case and the prefix "application/", which may
// be left out in a header `typ` (RFC 7515, section 4.1.9).
func shortType(name string) string {
	return strings.TrimPrefix(strings.ToLower(name), "application/")
}

// reasons maps parts of the library's error texts to the reasons for clients. The
// library's own texts have Go's words and the issuer's addresses; they are logged.
var reasons = []struct{ part, reason string }{
	{"issued by a different provider", "the access token was issued by another issuer"},
	{"expected audience", "the access token was made for another audience"},
	{"nbf", "the access token is not valid yet"},
	{"signature", "the signature of the access token cannot be verified"},
	{"signed with unsupported algorithm", "the access token is signed with an algorithm that is not accepted"},
}

// invalidToken returns the error for a token that the library refuses. Its Reason is for
// the client and has no words of the library.
func invalidToken(err error) *InvalidTokenError {
	if _, expired := errors.AsType[*oidc.TokenExpiredError](err); expired {
		return &InvalidTokenError{Reason: "the access token has expired", Expired: true}
	}
	for _, r := range reasons {
		if strings.Contains(err.Error(), r.part) {
			return &InvalidTokenError{Reason: r.reason, Cause: err}
		}
	}
	return &InvalidTokenError{Reason: "the access token is malformed", Cause: err}
}

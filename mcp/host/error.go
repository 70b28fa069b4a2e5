package host

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/internal/params"
)

// documented are the codes whose messages are documented as they are in every revision.
var documented = []jsonrpc.Code{
	jsonrpc.CodeParseError, jsonrpc.CodeInvalidRequest, jsonrpc.CodeMethodNotFound, CodeAuthentication, CodeQuotaExceeded,
}

// Explained returns the error with the reason of its data.details behind the message. On
// the baseline, and where the message is documented as it is, it returns the error itself.
func Explained(rev *Revision, err *jsonrpc.Error) *jsonrpc.Error {
	if rev == baseline || slices.Contains(documented, err.Code) || strings.Contains(err.Message, ": ") {
		return err
	}
	message := WithDetails(err)
	if message == err.Message {
		return err
	}
	return &jsonrpc.Error{Code: err.Code, Message: message, Data: err.Data}
}

// WithDetails returns the message of an error and the reason in its data.details, once.
func WithDetails(err *jsonrpc.Error) string {
	var data struct {
		Details string `json:"details"`
	}
	if json.Unmarshal(err.Data, &data) != nil || data.Details == "" || strings.HasSuffix(err.Message, data.Details) {
		return err.Message
	}
	return err.Message + ": " + data.Details
}

// MissingScope returns the scope for lack of which a request was rejected, or ""
// if it was rejected for another reason. Transports use it for their challenge
// (RFC 6750, section 3.1).
func MissingScope(err *jsonrpc.Error) Scope {
	var data struct {
		Scope Scope `json:"scope"`
	}
	if err.Code != CodePermissionDenied || json.Unmarshal(err.Data, &data) != nil {
		return ""
	}
	return data.Scope
}

// A QuotaError reports the use of a quota or rate, and when there will be more.
// Its code is documented for baseline clients; later revisions forbid that code,
// so it depends on the revision.
type QuotaError struct {
	Limit   int64
	Used    int64
	ResetAt time.Time
	// Details is additional text for users; it may be "".
	Details string
}

// Error returns the documented message. The limits and the time to wait are in
// the data.
func (e *QuotaError) Error() string { return "Quota exceeded" }

// Wire returns the error with the code of the revision. If that is not the
// documented code, data.code has the latter.
func (e *QuotaError) Wire(rev *Revision) *jsonrpc.Error {
	data := struct {
		Limit   int64        `json:"limit"`
		Used    int64        `json:"used"`
		ResetAt string       `json:"reset_at"`
		Code    jsonrpc.Code `json:"code,omitempty"`
		Details string       `json:"details,omitempty"`
	}{Limit: e.Limit, Used: e.Used, ResetAt: e.ResetAt.UTC().Format(time.RFC3339), Details: e.Details}
	if rev.Quota != CodeQuotaExceeded {
		data.Code = CodeQuotaExceeded
	}
	err := &jsonrpc.Error{Code: rev.Quota, Message: e.Error()}
	return err.WithData(data)
}

// MissingClaim returns the error -32602 for a request whose header names a modern
// revision and whose body does not.
func MissingClaim() *jsonrpc.Error {
	return params.Invalid("params._meta must have %s and %s", params.MetaVersion, params.MetaCapabilities)
}

// UnsupportedVersion returns the error -32022. Its data lists the versions that a
// client may claim, as server/discover does: the official suite compares the two.
func UnsupportedVersion(requested string) *jsonrpc.Error {
	err := &jsonrpc.Error{Code: CodeUnsupportedVersion, Message: "Unsupported protocol version: " + params.Quoted(requested)}
	return err.WithData(struct {
		Supported []string `json:"supported"`
		Requested string   `json:"requested"`
	}{ModernNames(), params.Quoted(requested)})
}

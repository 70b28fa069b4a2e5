package host

import "github.com/triptych-mcp/triptych/jsonrpc"

// Codes that MCP adds to those of JSON-RPC.
const (
	CodeResourceNotFound   jsonrpc.Code = -32002 // up to 2025-11-25
	CodeHeaderMismatch     jsonrpc.Code = -32020 // from 2026-07-28 on, like the next two
	CodeMissingCapability  jsonrpc.Code = -32021
	CodeUnsupportedVersion jsonrpc.Code = -32022
	CodeAuthentication     jsonrpc.Code = -32001 // documented: no key, or a wrong one
	CodeQuotaExceeded      jsonrpc.Code = -32002 // documented: quota or rate used up
	CodePermissionDenied   jsonrpc.Code = -32003 // documented: scope or address not allowed
	CodeExpired            jsonrpc.Code = -32010 // documented: the key or its licence has expired
	CodeQuotaModern        jsonrpc.Code = -31002 // where revisions forbid -32002
)

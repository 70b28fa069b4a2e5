// Package snapshots serves all rulesets of a server in one document, for programs that
// have copies of them.
//
//	GET /mcp/rulesets                    the newest revisions
//	GET /mcp/rulesets?label=production   the revisions with a label
//
// The ETag is the SHA-256 of the document: If-None-Match with it is answered with 304
// and no body. Each request is a resources/read at the MCP endpoint with the same
// header, so that keys, scopes, quotas and the audit trail apply as they do there.
package snapshots

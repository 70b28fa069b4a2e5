// Package registry serves a read-only registry of MCP servers, by version 0.1 of the API of MCP's
// registry: the servers that an organization allows, for hosts that start no others.
//
//	r, err := registry.Open("servers.json", own)
//	status, body := r.Answer(request)
//
// # File
//
// The file is a JSON array of servers, or an object with the member servers, as the registry's
// API answers it. A server is the content of its server.json, or an object with the members
// server and _meta, of which the status, its message and the times are kept. The latest version
// of a server is the highest by the rules of Semantic Versioning.
//
// A file that has changed is read again at the next request. If it cannot be read then, the
// servers stay as they were and the error is logged once.
//
// # Sources
//
// The API is described by docs/reference/api/openapi.yaml of modelcontextprotocol/registry, and
// by what GitHub asks of a registry for Copilot
// (docs.github.com, "Configure an MCP registry for your organization or enterprise").
package registry

package hosts

// What users see of the TypeScript SDK, on which many hosts are built, and where Node.js looks
// for certificates.
const (
	posting     = "Error POSTing to endpoint: {text}"
	noFetch     = "fetch failed"
	kindOfSDK   = "Unexpected content type"
	systemTrust = "add CERT.PEM to the system's certificates"
	nodeTrust   = "NODE_EXTRA_CA_CERTS=CERT.PEM in the host's environment"
)

// sdk1 has the texts of version 1 of the TypeScript SDK.
var sdk1 = map[Trouble]string{
	Unreachable: noFetch, Certificate: noFetch, Secure: noFetch, NoAnswer: "MCP error -32001: Request timed out, after a minute",
	NoMCP: "Streamable HTTP error: " + kindOfSDK, Plain: "Streamable HTTP error: " + posting,
	Unauthorized: "Streamable HTTP error: " + posting, Forbidden: "Streamable HTTP error: " + posting,
	WrongPath: "Streamable HTTP error: " + posting, Quota: "Streamable HTTP error: " + posting, Refused: "{text}",
}

// sdk2 has those of version 2.
var sdk2 = map[Trouble]string{
	Unreachable: noFetch, Certificate: noFetch, Secure: noFetch, NoAnswer: "Request timed out, after a minute",
	NoMCP: kindOfSDK, Plain: posting, Unauthorized: posting, Forbidden: posting, WrongPath: posting, Quota: posting, Refused: "{text}",
}

// always is one text for every trouble.
func always(text string) map[Trouble]string {
	all := map[Trouble]string{}
	for trouble := range cures {
		all[trouble] = text
	}
	all[Certificate] = text
	return all
}

// but returns texts with others in place of some.
func but(texts map[Trouble]string, others map[Trouble]string) map[Trouble]string {
	all := map[Trouble]string{}
	for trouble, text := range texts {
		all[trouble] = text
	}
	for trouble, text := range others {
		all[trouble] = text
	}
	return all
}

// The orders of the kinds of content that hosts accept.
const (
	jsonFirst   = "application/json, text/event-stream"
	eventsFirst = "text/event-stream, application/json"
)

// asked is the day on which the hosts with a version were run.
const asked = "2026-11-28"

// All are the hosts.
var All = []Host{
	{
		Name: "claude-code", Title: "Claude Code", Asked: "2.1.332", Source: "https://code.claude.com/docs/en/mcp", Read: asked,
		UserAgent: "claude-code/2.1.332 (cli)", Accept: jsonFirst, Revision: "2025-11-25",
		Client: `{"name":"claude-code","title":"Claude Code","version":"2.1.332"}`, Can: `{"roots":{"listChanged":true},"elicitation":{"form":{},"url":{}}}`,
		Steps: []step{discover, listen, listTools},
		Sees: but(always("Failed to connect"), map[Trouble]string{
			Unauthorized: "Failed to connect: Server rejected the configured Authorization header (HTTP 401). Error detail: {text}",
			WrongPath:    "Failed to connect: HTTP {status}: " + posting, Plain: "Failed to connect: HTTP 400: " + posting,
			Forbidden: "Failed to connect: HTTP 403: " + posting, Quota: "Failed to connect: HTTP 429: " + posting,
			Certificate: "Failed to connect: DEPTH_ZERO_SELF_SIGNED_CERT", NoMCP: "Failed to connect: " + kindOfSDK,
			Schemas: "connected, without any tool",
		}),
		Trust: nodeTrust,
	},
	{
		Name: "cursor", Title: "Cursor", Source: "https://cursor.com/docs/context/mcp", Read: asked,
		UserAgent: "Cursor", Accept: jsonFirst, Revision: "2025-11-25",
		Client: `{"name":"cursor-vscode","version":"1.0.0"}`, Can: `{"tools":true,"prompts":true,"resources":true,"logging":false,"elicitation":{"form":{}},"roots":{"listChanged":false}}`,
		Steps: []step{initialize, ready, stream, listTools},
		Sees:  sdk1, Trust: nodeTrust,
	},
	{
		Name: "vscode", Title: "VS Code", Source: "https://github.com/microsoft/vscode/blob/main/src/vs/workbench/api/common/extHostMcp.ts", Read: asked,
		UserAgent: "node", Accept: eventsFirst, Revision: "2025-11-25", Silent: true,
		Client: `{"name":"Visual Studio Code","version":"1.110.0"}`, Can: `{"roots":{"listChanged":true},"sampling":{},"elicitation":{"form":{},"url":{}}}`,
		Steps: []step{initialize, stream, ready, listTools},
		Sees: but(always("{status} status sending message to {url}: {text}"), map[Trouble]string{
			Unreachable: "Error sending message to {url}: " + noFetch, Certificate: "Error sending message to {url}: " + noFetch,
			Secure: "Error sending message to {url}: " + noFetch, NoAnswer: "Waiting for server to respond to `initialize` request",
			WrongPath: "{status} status sending message to {url}, will attempt to fall back to legacy SSE",
			Plain:     "400 status sending message to {url}, will attempt to fall back to legacy SSE",
			NoMCP:     "Waiting for server to respond to `initialize` request", Schemas: "connected, with a warning for each tool that is left out",
		}),
		Trust: systemTrust,
	},
	{
		Name: "codex", Title: "Codex", Asked: "0.171.0", Source: "https://developers.openai.com/codex/mcp", Read: asked,
		UserAgent: "codex-mcp-client/0.171.0", Accept: eventsFirst, Revision: "2025-06-18",
		Client: `{"name":"codex-mcp-client","title":"Codex","version":"0.171.0"}`, Can: `{"elicitation":{"form":{},"url":{}}}`,
		Steps: []step{initialize, ready, stream, listTools},
		Sees: but(always("HTTP {status}: {text}"), map[Trouble]string{
			Unreachable: "error sending request for url ({url})", Certificate: "error sending request for url ({url})",
			Secure: "error sending request for url ({url})", NoAnswer: "timed out handshaking with MCP server", NoMCP: "UnexpectedContentType", Unauthorized: "AuthRequired",
		}),
		Trust: systemTrust,
	},
	{
		Name: "gemini-cli", Title: "Gemini CLI", Asked: "0.61.0", Source: "https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md", Read: asked,
		UserAgent: "node", Accept: jsonFirst, Revision: "2025-06-18", Silent: true,
		Client: `{"name":"gemini-cli-mcp-client","version":"0.61.0"}`, Can: `{}`,
		Steps: []step{initialize, ready, stream, ping, listTools},
		Sees:  always("Disconnected"), Trust: nodeTrust,
	},
	{
		Name: "copilot-cli", Title: "Copilot CLI", Asked: "1.0.102", Source: "https://docs.github.com/en/copilot/how-tos/copilot-cli", Read: asked,
		UserAgent: "copilot-cli/1.0.102", Accept: eventsFirst, Revision: "2025-11-25",
		Client: `{"name":"copilot-cli","version":"1.0.102"}`, Can: `{"sampling":{},"elicitation":{"form":{},"url":{}}}`,
		Steps: []step{discover, listen, listTools},
		Sees: but(always("Failed"), map[Trouble]string{
			Unauthorized: "Needs authentication", Schemas: "connected, without any tool",
		}),
		Trust: systemTrust,
	},
	{
		Name: "claude-desktop", Title: "Claude Desktop by mcp-remote", Asked: "mcp-remote 0.15.1", Source: "https://www.npmjs.com/package/mcp-remote", Read: asked,
		UserAgent: "node", Accept: jsonFirst, Revision: "2025-11-25", Mirrors: true,
		Client: `{"name":"claude-ai (via mcp-remote 0.15.1)","version":"0.1.0"}`, Can: `{}`,
		Steps: []step{probe, initialize, ready, stream, listTools}, Registers: true,
		Sees: but(sdk2, map[Trouble]string{
			Unauthorized: "Dynamic Client Registration rejected: {text}", WrongPath: "Non-200 status code (404)",
			NoMCP: "Server disconnected", NoAnswer: "Server disconnected, after a minute",
		}),
		Trust: nodeTrust,
	},
	{
		Name: "opencode", Title: "OpenCode", Asked: "1.18.33", Source: "https://opencode.ai/docs/mcp-servers/", Read: asked,
		UserAgent: "opencode/1.18.33", Accept: jsonFirst, Revision: "2025-11-25",
		Client: `{"name":"opencode","version":"1.18.33"}`, Can: `{"roots":{}}`,
		Steps: []step{initialize, ready, stream, listTools},
		Sees: but(always("failed: SSE error: Non-200 status code ({status})"), map[Trouble]string{
			Unauthorized: "needs authentication", Certificate: "failed: SSE error: self signed certificate",
			WrongPath: "failed: SSE error: Non-200 status code (404)",
			NoMCP:     "failed: SSE error: Invalid content type", Unreachable: "failed: SSE error: Unable to connect",
			Secure: "failed: SSE error: Unable to connect", NoAnswer: "failed: Operation timed out", Schemas: "failed to get tools",
		}),
		Trust: nodeTrust,
	},
	{
		Name: "inspector", Title: "MCP Inspector", Asked: "2.12.0", Source: "https://modelcontextprotocol.io/docs/tools/inspector", Read: asked,
		UserAgent: "node", Accept: jsonFirst, Revision: "2025-11-25",
		Client: `{"name":"inspector-cli","version":"2.12.0"}`, Can: `{"roots":{"listChanged":true},"extensions":{"io.modelcontextprotocol/tasks":{},"io.modelcontextprotocol/skills":{}}}`,
		Steps: []step{initialize, ready, stream, level, listTools},
		Sees:  but(sdk2, map[Trouble]string{Unauthorized: "Interactive OAuth requires a TTY"}), Trust: nodeTrust,
	},
	{
		Name: "typescript-sdk-1", Title: "TypeScript SDK v1", Asked: "1.32.2", Source: "https://github.com/modelcontextprotocol/typescript-sdk", Read: asked,
		UserAgent: "node", Accept: jsonFirst, Revision: "2025-11-25", Client: `{"name":"client","version":"1.0.0"}`, Can: `{}`,
		Steps: []step{initialize, ready, listTools, stream}, Sees: sdk1, Trust: nodeTrust,
	},
	{
		Name: "typescript-sdk-2", Title: "TypeScript SDK v2", Asked: "2.4.0", Source: "https://github.com/modelcontextprotocol/typescript-sdk", Read: asked,
		UserAgent: "node", Accept: jsonFirst, Revision: "2025-11-25", Client: `{"name":"client","version":"1.0.0"}`, Can: `{}`,
		Steps: []step{discover, listTools},
		Sees: but(sdk2, map[Trouble]string{
			Unauthorized: "Version negotiation failed: the server requires authorization (HTTP 401)",
			Certificate:  "Version negotiation probe failed: " + noFetch, Unreachable: "Version negotiation probe failed: " + noFetch,
			Secure: "Version negotiation probe failed: " + noFetch, NoMCP: "Version negotiation probe failed: " + kindOfSDK,
		}),
		Trust: nodeTrust,
	},
	{
		Name: "go-sdk", Title: "Go SDK", Asked: "1.8.0", Source: "https://github.com/modelcontextprotocol/go-sdk", Read: asked,
		UserAgent: "Go-http-client/1.1", Accept: jsonFirst, Revision: "2025-11-25", Client: `{"name":"client","version":"1.0.0"}`, Can: `{"roots":{"listChanged":true}}`,
		Steps: []step{discover, listen, listTools},
		Sees: but(always(`calling "initialize": {text}`), map[Trouble]string{
			Unauthorized: `calling "initialize": sending "initialize": Unauthorized`, WrongPath: `calling "initialize": sending "initialize": Method Not Allowed`,
			Plain: `calling "initialize": sending "initialize": Bad Request`, NoMCP: `calling "initialize": unsupported content type`,
			NoAnswer: "nothing, until its context ends",
		}),
		Trust: "SSL_CERT_FILE=CERT.PEM in the program's environment",
	},
}

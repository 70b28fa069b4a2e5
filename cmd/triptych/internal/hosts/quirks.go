package hosts

// A Quirk is something that a host does and that a server has to allow for.
type Quirk struct {
	Host   string
	Does   string
	Source string // a thread, or the version that was run
	Read   string // the day on which that was read or seen
	Here   string // what this server does about it
	// Tests are the tests that hold it, as FILE:TestName, or FILE alone for a conversation or a
	// script. Without one, Here says why there is nothing to test.
	Tests []string
}

const (
	streamTests = "transport/streamable/streamable_test.go"
	schemaTest  = "cmd/triptych/hosts_schema_test.go:TestHostsTakeEverySchema"
)

// Quirks are the quirks of hosts.
var Quirks = []Quirk{
	{
		"Claude Code", "drops all tools of a server if one has a schema whose root is not an object or has a combinator", "anthropics/claude-code#88049, #95504", asked,
		"the root of every schema is a plain object", []string{schemaTest},
	},
	{
		"Claude Code", "rounds integers beyond 2^53-1 in structured content", "anthropics/claude-code#78762", asked,
		"there are none: larger integers become 2^53-1, and the text has all digits", []string{"mcp/exact_test.go:TestStructuredIntegers"},
	},
	{
		"Claude Code", "cuts long descriptions", "anthropics/claude-code#41141", asked,
		"a description has at most 1,024 bytes", []string{schemaTest},
	},
	{
		"Claude Code", "puts input that could not be read into the arguments `raw` and `len`", "anthropics/claude-code#74800", asked,
		"unknown arguments are refused; the error names them", []string{"mcp/schema/schema_test.go:TestEveryViolationIsListed"},
	},
	{
		"Claude Code, Copilot CLI, Go SDK", "begin with `server/discover`, and send `subscriptions/listen` before `tools/list`", "2.1.332, 1.0.102 and 1.8.0, run", asked,
		"one address serves clients with and without `initialize`", []string{"cmd/triptych/internal/hosts/hosts_test.go:TestRequests", "cmd/triptych/testdata/script/doctor_url.txtar", "conformance/revisions/eras.txtar"},
	},
	{
		"Claude Code and others", "send calls before `notifications/initialized`", "anthropics/claude-code#59835", asked,
		"the calls are served", []string{"conformance/revisions/stateless.txtar"},
	},
	{
		"claude.ai", "names 2025-11-25 in the header and 2026-07-28 in the body", "anthropics/claude-code#93290", asked,
		"the request is refused with -32020, as the specification says", []string{streamTests + ":TestModern"},
	},
	{
		"claude.ai, Claude Desktop, ChatGPT", "offer OAuth, but no field for a key", "anthropics/claude-ai-mcp#10", asked,
		"with `--oauth` the server has a login by a page that takes a key; with `--oidc-issuer` it accepts access tokens", []string{"cmd/triptych/testdata/script/serve_oauth.txtar", "cmd/triptych/testdata/script/serve_oidc.txtar"},
	},
	{
		"claude.ai, Claude Code", "name a metadata document that answers programs in data centers with a challenge for browsers", "anthropics/claude-code#84263", asked,
		"the documents of these hosts are known, and not fetched", []string{"transport/oauth/known_test.go:TestKnownClients"},
	},
	{
		"Cursor", "registers `cursor:` beside redirects of loopback, and uses those", "cloudflare/workers-oauth-provider v1.2.1", asked,
		"redirects that are not allowed are left out of a registration", []string{"transport/oauth/attack_test.go:TestForeignRedirects"},
	},
	{
		"Gemini CLI, VS Code, claude.ai", "send no MCP-Protocol-Version after `initialize`", "0.61.0, run; anthropics/claude-ai-mcp#70", asked,
		"the session has the revision", []string{streamTests + ":TestSession"},
	},
	{
		"VS Code, Codex, Copilot CLI", "name `text/event-stream` first in Accept", "0.171.0 and 1.0.102, run", asked,
		"the order does not matter", []string{"cmd/triptych/testdata/script/doctor_url.txtar"},
	},
	{
		"Antigravity, scripts", "accept only JSON, or send no Accept", "vercel/vercel-mcp-overview#1, anthropics/claude-code#45368", asked,
		"they get JSON", []string{streamTests + ":TestDoor"},
	},
	{
		"mcp-remote, mcporter, Inspector, Cursor", "take a 401 as a request to log in, and show the error of the login", "anthropics/claude-code#47424, #80785; mcp-remote 0.15.1, run", asked,
		"answers at the login paths say what to send", []string{"cmd/triptych/internal/servecmd/card_test.go:TestLoginRoutes"},
	},
	{
		"mcp-remote", "sends GET before it has a session, and Mcp-Method with every revision", "0.15.1, run", asked,
		"GET is refused with 400; the header is ignored", []string{streamTests + ":TestDoor", "cmd/triptych/testdata/script/doctor_url.txtar"},
	},
	{
		"hosts on the TypeScript SDK v1", "do not start a new session when theirs is gone", "modelcontextprotocol/typescript-sdk#1718", asked,
		"sessions survive a restart", []string{"transport/streamable/forward_test.go:TestSessionOutlivesARestart"},
	},
	{
		"LibreChat, Java and Kotlin SDKs", "open a second stream for a session", "danny-avila/LibreChat#14816", asked,
		"the newer stream takes over", []string{streamTests + ":TestTakeOver"},
	},
	{
		"mcp.el, MonkeyCode", "send null for params, arguments or a cursor", "lizqwerscott/mcp.el#85", asked,
		"null counts as absent", []string{"mcp/null_test.go:TestNullIsLeftOut"},
	},
	{
		"shell scripts", "use the same id in every line", "the examples of many readmes", asked,
		"each line is answered, in order", []string{"jsonrpc/salvage_test.go:TestReusedIDsAreAnsweredInOrder"},
	},
	{
		"SDKs", "drop an answer without an id, and wait until they time out", "modelcontextprotocol/python-sdk#1144", asked,
		"a refusal has the id of the request if that can be read", []string{"jsonrpc/salvage_test.go:TestRefusalsKeepTheID"},
	},
	{
		"Gemini, Copilot CLI", "refuse arrays whose items have no type", "github/copilot-cli#4623", asked,
		"the items of every array have one", []string{schemaTest},
	},
	{
		"APIs of models", "accept only names of up to 64 letters, digits, `_` and `-`", "anthropics/claude-code#34771", asked,
		"from 2025-03-26 on, tools are listed without a slash; both spellings can be called", []string{schemaTest, "mcp/server_test.go:TestToolNamesFollowTheRevision"},
	},
	{
		"clients that stream bodies", "send a body in chunks", "RFC 9112, section 7.1", asked,
		"the connection stays open", []string{"transport/https/server_test.go:TestChunksAndTheConnection"},
	},
	{
		"Windows PowerShell 5.1", "writes a byte order mark", "monk-plugin#367", asked,
		"the mark is left out", []string{"jsonrpc/conn_test.go:TestOneLineOneAnswer"},
	},
	{
		"Inspector and others in a browser", "ask for permission by OPTIONS, also for MCP's headers", "modelcontextprotocol/inspector#1100", asked,
		"`--origin` allows their origins", []string{streamTests + ":TestCORS"},
	},
	{
		"ChatGPT", "asks the user before it calls a tool that is not read-only", "linuxfoundation/lfx-mcp#126", asked,
		"`readOnlyHint` is true only for look-ups", []string{"cmd/triptych/lookups_test.go:TestLookUpsAreReadOnlyTools"},
	},
	{
		"Copilot CLI, Codex", "show tools, not prompts or resources", "github/copilot-cli#1518, openai/codex#5059", asked,
		"`rulesets pull` writes prompts into the files of these hosts", nil,
	},
	{
		"VS Code", "starts only servers of a registry if a policy says so", "microsoft/vscode#317553", asked,
		"a release has a `server.json`, and `triptych serve --registry` is a registry with the server itself in it", []string{"cmd/triptych/internal/registry/registry_test.go:TestList"},
	},
	{
		"clients of 2024-11-05", "expect HTTP+SSE", "the specification of 2024-11-05", asked,
		"it is not served; mcp-proxy and supergateway translate it", nil,
	},
}

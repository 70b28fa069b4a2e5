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
		"Claude Code", "drops all tools of a server for one whose root is no object, or has a combinator", "anthropics/claude-code#88049, #95504", asked,
		"every schema has a plain root", []string{schemaTest},
	},
	{
		"Claude Code", "rounds integers beyond 2^53-1 in structured content", "anthropics/claude-code#78762", asked,
		"there are none: 2^53-1 stands for larger ones, and the text has all digits", []string{"mcp/exact_test.go:TestStructuredIntegers"},
	},
	{
		"Claude Code", "cuts long descriptions", "anthropics/claude-code#41141", asked,
		"a description has 1,024 bytes at most", []string{schemaTest},
	},
	{
		"Claude Code", "sends an input that could not be read as `raw` and `len`", "anthropics/claude-code#74800", asked,
		"unknown arguments are refused by name", []string{"mcp/schema/schema_test.go:TestEveryViolationIsListed"},
	},
	{
		"Claude Code, Copilot CLI, Go SDK", "begin with `server/discover` and listen before they list", "2.1.332, 1.0.102 and 1.8.0, run", asked,
		"both eras are served at one address", []string{"cmd/triptych/internal/hosts/hosts_test.go:TestRequests", "cmd/triptych/testdata/script/doctor_url.txtar", "conformance/revisions/eras.txtar"},
	},
	{
		"Claude Code and others", "send calls before `notifications/initialized`", "anthropics/claude-code#59835", asked,
		"they are served", []string{"conformance/revisions/stateless.txtar"},
	},
	{
		"claude.ai", "names 2025-11-25 in the header and 2026-07-28 in the body", "anthropics/claude-code#93290", asked,
		"it is refused with -32020, as the specification says", []string{streamTests + ":TestModern"},
	},
	{
		"claude.ai, Claude Desktop, ChatGPT", "offer OAuth and no field for a key", "anthropics/claude-ai-mcp#10", asked,
		"`--oidc-issuer` takes access tokens", []string{"cmd/triptych/testdata/script/serve_oidc.txtar"},
	},
	{
		"Gemini CLI, VS Code, claude.ai", "send no MCP-Protocol-Version after `initialize`", "0.61.0, run; anthropics/claude-ai-mcp#70", asked,
		"the session knows the revision", []string{streamTests + ":TestSession"},
	},
	{
		"VS Code, Codex, Copilot CLI", "name `text/event-stream` first in Accept", "0.171.0 and 1.0.102, run", asked,
		"the order does not matter", []string{"cmd/triptych/testdata/script/doctor_url.txtar"},
	},
	{
		"Antigravity, scripts", "accept JSON alone, or send no Accept", "vercel/vercel-mcp-overview#1, anthropics/claude-code#45368", asked,
		"they get JSON", []string{streamTests + ":TestDoor"},
	},
	{
		"mcp-remote, mcporter, Inspector, Cursor", "take a 401 for a call to log in, and show how that failed", "anthropics/claude-code#47424, #80785; mcp-remote 0.15.1, run", asked,
		"the paths of a login say what to send", []string{"cmd/triptych/internal/servecmd/card_test.go:TestLoginRoutes"},
	},
	{
		"mcp-remote", "sends GET before it has a session, and Mcp-Method with every revision", "0.15.1, run", asked,
		"GET is refused with 400, the header is ignored", []string{streamTests + ":TestDoor", "cmd/triptych/testdata/script/doctor_url.txtar"},
	},
	{
		"hosts on the TypeScript SDK v1", "do not begin again when their session is gone", "modelcontextprotocol/typescript-sdk#1718", asked,
		"sessions outlive a restart", []string{"transport/streamable/forward_test.go:TestSessionOutlivesARestart"},
	},
	{
		"LibreChat, Java and Kotlin SDKs", "open a second stream of a session", "danny-avila/LibreChat#14816", asked,
		"the newer one takes over", []string{streamTests + ":TestTakeOver"},
	},
	{
		"mcp.el, MonkeyCode", "send null for params, arguments or a cursor", "lizqwerscott/mcp.el#85", asked,
		"null is as if left out", []string{"mcp/null_test.go:TestNullIsLeftOut"},
	},
	{
		"shell scripts", "use one id for every line", "the examples of many readmes", asked,
		"each line is answered, in order", []string{"jsonrpc/salvage_test.go:TestReusedIDsAreAnsweredInOrder"},
	},
	{
		"SDKs", "drop an answer without an id, and wait for their time limit", "modelcontextprotocol/python-sdk#1144", asked,
		"refusals keep the id where it can be read", []string{"jsonrpc/salvage_test.go:TestRefusalsKeepTheID"},
	},
	{
		"Gemini, Copilot CLI", "refuse arrays whose items have no type", "github/copilot-cli#4623", asked,
		"every array has one", []string{schemaTest},
	},
	{
		"APIs of models", "take names of 64 letters, digits, `_` and `-` alone", "anthropics/claude-code#34771", asked,
		"tools are listed without a slash from 2025-03-26 on; both spellings can be called", []string{schemaTest, "mcp/server_test.go:TestToolNamesFollowTheRevision"},
	},
	{
		"clients that stream bodies", "send a body in chunks", "RFC 9112, section 7.1", asked,
		"the connection lives on", []string{"transport/https/server_test.go:TestChunksAndTheConnection"},
	},
	{
		"Windows PowerShell 5.1", "writes a byte order mark", "monk-plugin#367", asked,
		"it is left out", []string{"jsonrpc/conn_test.go:TestOneLineOneAnswer"},
	},
	{
		"Inspector and others in a browser", "ask for leave by OPTIONS, and for MCP's headers", "modelcontextprotocol/inspector#1100", asked,
		"`--origin` lists their origins", []string{streamTests + ":TestCORS"},
	},
	{
		"ChatGPT", "asks before tools that are not read-only", "linuxfoundation/lfx-mcp#126", asked,
		"`readOnlyHint` is true of look-ups only", []string{"cmd/triptych/lookups_test.go:TestLookUpsAreReadOnlyTools"},
	},
	{
		"Copilot CLI, Codex", "show tools, not prompts or resources", "github/copilot-cli#1518, openai/codex#5059", asked,
		"`rulesets pull` writes prompts into their files instead", nil,
	},
	{
		"VS Code", "starts, by policy, only servers of a registry", "microsoft/vscode#317553", asked,
		"a release has a `server.json`, which is for a registry to take", nil,
	},
	{
		"clients of 2024-11-05", "expect HTTP+SSE", "the specification of 2024-11-05", asked,
		"it is not served; mcp-proxy and supergateway translate", nil,
	},
}

package hosts

import "strings"

// A Host is a program that people connect to a server.
type Host struct {
	Name  string // for tests and for programs
	Title string
	// Asked is the version whose requests were recorded; "" means that they follow Source.
	Asked  string
	Source string
	Read   string // the day on which Source was read or the version was asked

	UserAgent string
	Accept    string
	Client    string // clientInfo as JSON
	Can       string // capabilities as JSON
	// Revision is the one that initialize names.
	Revision string
	// Silent hosts send no MCP-Protocol-Version after initialize.
	Silent bool
	// Mirrors are hosts that send Mcp-Method with the requests of old revisions, too.
	Mirrors bool
	// Registers are hosts that look for an OAuth login after a 401, and show how that failed.
	Registers bool
	Steps     []step

	// Sees has the text that the user sees, or the one in the host's log where that shows less.
	// Of a host that was run it is the text of that version, as far as it was seen. {text}
	// stands for what the server says, {status} for the status, {url} for the address. A
	// trouble that is missing shows the server's text.
	Sees map[Trouble]string
	// Trust says how the host is made to trust a certificate.
	Trust string
}

// A step is a request of a host.
type step int

const (
	probe      step = iota // GET before any session
	discover               // server/discover; without an answer, the steps of the older revisions
	listen                 // subscriptions/listen
	initialize             // initialize
	ready                  // notifications/initialized
	stream                 // GET in the session
	level                  // logging/setLevel
	ping                   // ping
	listTools              // tools/list
)

// maxSteps bounds the requests of a host that are played.
const maxSteps = 5

// fallback are the steps of a host that finds no server/discover.
var fallback = []step{initialize, ready, stream, listTools}

// names are the steps as users know them.
var names = [...]string{
	probe: "the first GET", discover: "server/discover", listen: "subscriptions/listen", initialize: "initialize",
	ready: "notifications/initialized", stream: "the stream of the session", level: "logging/setLevel", ping: "ping", listTools: "tools/list",
}

// A Trouble is a reason for which a host does not work with a server.
type Trouble string

// The troubles.
const (
	None         Trouble = ""
	Unreachable  Trouble = "unreachable"  // nothing listens there
	Certificate  Trouble = "certificate"  // it is not trusted
	Plain        Trouble = "plain"        // http:// for a server of https://
	Secure       Trouble = "secure"       // https:// for a server of http://
	NoAnswer     Trouble = "no answer"    // in time
	Unauthorized Trouble = "unauthorized" // 401
	Forbidden    Trouble = "forbidden"    // 403
	WrongPath    Trouble = "wrong path"   // 404, 405
	Quota        Trouble = "quota"        // 429
	Redirected   Trouble = "redirected"   // 3xx
	NoMCP        Trouble = "no MCP"       // another answer than MCP's
	Refused      Trouble = "refused"      // another status, or an error
	Schemas      Trouble = "schemas"      // the host does not take the tools
)

// cures say what to do, by trouble.
var cures = map[Trouble]string{
	Unreachable:  "start the server, or correct host and port of the URL",
	Plain:        "write https:// in the URL",
	Secure:       "write http:// in the URL, or give the server a certificate",
	NoAnswer:     "look at the server's log, and at the proxy before it; an MCP server answers at once",
	Unauthorized: "put the key into the headers of the host's configuration as Authorization: Bearer KEY; the operator compares it with triptych key list",
	Forbidden:    "start the server with --host for this name; or the key lacks a scope or does not work from this address",
	WrongPath:    "the URL ends in /mcp, as in https://HOST:8443/mcp",
	Quota:        "wait until the time that is named, or raise the plan of the key",
	Redirected:   "put the address to which it leads into the configuration; hosts send no key there",
	NoMCP:        "the URL names another program: correct host, port and path; a network may want you to sign in first",
	Refused:      "look up the text in docs/troubleshooting.md",
	Schemas:      "correct the tools that are named",
}

// shared reports whether every other host has the trouble as well: none reaches the server, or
// the key is wrong.
func (t Trouble) shared() bool {
	return t == Unreachable || t == Certificate || t == Plain || t == Secure || t == NoAnswer || t == Unauthorized
}

// Requests returns the requests of the host, in their order, as Markdown.
func (h *Host) Requests() string {
	all := make([]string, len(h.Steps))
	for i, s := range h.Steps {
		switch s {
		case probe, stream:
			all[i] = "GET"
		default:
			all[i] = "`" + names[s] + "`"
		}
	}
	return strings.Join(all, ", ")
}

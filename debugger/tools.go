package debugger

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/accounttools"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/bugtools"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/controltools"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/exposetools"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/looktools"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/traveltools"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/xmltools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/skill"
)

// groups are the groups of tools of the family.
type groups struct {
	sessions *session.Registry
	control  *controltools.Group
	travel   *traveltools.Group
	look     *looktools.Group
	account  *accounttools.Group
	similar  *bugtools.Group
	xml      *xmltools.Group
	expose   *exposetools.Group
	mask     func(text string) string // of what leaves the server, or nil
}

const liveInstructions = "Attach to a process or launch a program, set breakpoints, continue, and look at the stack and variables " +
	"where it stops. A process stands still until continue, a step or detach; detach when done. With several sessions, " +
	"say which: session is an id that sessions lists."

// table returns the tools in the order in which clients see them.
func (g *groups) table() *mcp.Table {
	tools := slices.Concat(
		g.control.Tools(), g.travel.Tools(), g.look.Tools(), g.control.FileTools(), g.expose.Tools(), g.account.Tools(), g.similar.Tools(), g.xml.Tools(),
	)
	return &mcp.Table{
		Family: "debugger",
		Documented: &mcp.Documented{
			Identity:     mcp.Implementation{Name: "kindly-debugger", Version: "1.0.0"},
			Capabilities: mcp.CapabilityTools,
		},
		Instructions: liveInstructions,
		Tools:        inToolsets(onSystem(tools, runtime.GOOS, runtime.GOARCH)),
		Prompts:      prompts(),
		Resources:    []mcp.ResourceSource{skills(), g.outputs()},
		Watch:        g.watch,
		Errors:       wireError,
		Mask:         g.mask,
		ModelErrors:  modelErrors,
		EndSession:   g.sessions.EndClient,
		HasState:     func(key string) bool { return len(g.sessions.Own(key)) > 0 },
		Close:        g.close,
	}
}

// close ends all sessions with their clients, and closes the library of
// documents.
func (g *groups) close() error {
	err := g.sessions.EndAll("", true)
	g.expose.Exposer.Close()
	return errors.Join(err, g.xml.Library.Close())
}

// toolsets are the groups by which hosts that cannot show every tool select
// some. Tools that are not here are in the core: what one debugs a program with,
// in at most 8,000 bytes of tools/list.
var toolsets = map[string]string{
	"debugger/threads":    "inspect",
	"debugger/goroutines": "inspect",
	"debugger/source":     "inspect",
	"debugger/open_core":  "inspect",
	"debugger/expose":     "inspect",
	"debugger/find":       "inspect",
	"debugger/wait":       "inspect",
	"debugger/restart":    "inspect",
	"debugger/get_output": "inspect",
	"debugger/send_input": "inspect",

	"debugger/set_watchpoint": "memory",
	"debugger/step_forward":   "memory",
	"debugger/registers":      "memory",
	"debugger/read_memory":    "memory",
	"debugger/write_memory":   "memory",
	"debugger/disassemble":    "memory",

	"debugger/step_backward":    "time-travel",
	"debugger/reverse_continue": "time-travel",
	"debugger/seek":             "time-travel",
	"debugger/last_write":       "time-travel",
	"debugger/heap_block":       "time-travel",
	"debugger/call_trace":       "time-travel",
	"debugger/call_tree":        "time-travel",
	"debugger/trace_value":      "time-travel",
	"debugger/collect":          "time-travel",
	"debugger/race":             "time-travel",
	"debugger/export_trace":     "time-travel",
	"debugger/open_trace":       "time-travel",

	"debugger/quota_status":            "account",
	"debugger/license_info":            "account",
	"debugger/get_comprehensive_audit": "account",

	"debugger/find_similar_bugs": "bugs",

	"xpath_query":       "xml",
	"validate_schema":   "xml",
	"cache_stats":       "xml",
	"preload_documents": "xml",
}

// live are the tools that need a process that runs, and so Linux on x86-64. The others
// look at recordings and core files, which every system can.
var live = []string{
	"debugger/attach", "debugger/launch", "debugger/restart", "debugger/get_output", "debugger/send_input",
	"debugger/wait", "debugger/pause", "debugger/write_memory",
}

// onSystem leaves out the tools that cannot do anything on a system: a model that
// sees them would try them.
func onSystem(tools []mcp.Tool, goos, goarch string) []mcp.Tool {
	if goos == "linux" && goarch == "amd64" {
		return tools
	}
	return slices.DeleteFunc(tools, func(t mcp.Tool) bool { return slices.Contains(live, t.Name) })
}

// unmasked are the toolsets whose answers have nothing of a program.
var unmasked = []string{"xml", "account"}

// inToolsets sets the toolset of each tool, and whether its answers are masked.
func inToolsets(tools []mcp.Tool) []mcp.Tool {
	for i := range tools {
		tools[i].Toolset = toolsets[tools[i].Name]
		tools[i].Unmasked = slices.Contains(unmasked, tools[i].Toolset)
	}
	return tools
}

// prompts are the beginnings of a hunt for a bug.
func prompts() []mcp.Prompt {
	return []mcp.Prompt{{
		Name: "debug_crash", Title: "Debug a crash", Scope: "debug:read", Extension: true,
		Doc: "Find the cause of a crash or a wrong value: record one run, begin at its end, go backwards",
		Args: []mcp.PromptArgument{
			{Name: "program", Title: "Program", Doc: "Path, or a name in PATH"},
			{Name: "args", Title: "Arguments", Doc: "What the program is started with"},
			{Name: "core", Title: "Core file", Doc: "Instead of a program: the core file that it left"},
			{Name: "symptom", Title: "Symptom", Doc: "What goes wrong, and when"},
		},
		Get: debugCrash,
	}}
}

// debugCrash says how to begin, and then the manner of work that the skill teaches.
func debugCrash(_ context.Context, _ *mcp.Call, args map[string]string) (*mcp.PromptResult, error) {
	manner, err := fs.ReadFile(skillFiles, "skills/debug-backwards/"+skill.MainFile)
	if err != nil {
		return nil, err
	}
	_, body, _ := strings.Cut(strings.TrimPrefix(string(manner), "---\n"), "---\n")
	var b strings.Builder
	b.WriteString("Find out why this program fails, and prove it.\n\n")
	if args["symptom"] != "" {
		fmt.Fprintf(&b, "What goes wrong: %s\n\n", args["symptom"])
	}
	b.WriteString(firstStep(args) + "\n\n")
	b.WriteString("Report the cause as a chain of file, line and position from the write that did the damage to the failure, " +
		"then the smallest fix. Change no source before the user agrees.\n")
	b.WriteString(strings.TrimSpace(strings.ReplaceAll(body, "](references/", "](skill://debugger/debug-backwards/references/")) + "\n")
	return &mcp.PromptResult{
		Description: "Begin at the end, go backwards",
		Messages:    []mcp.PromptMessage{{Role: "user", Content: mcp.Text(b.String())}},
	}, nil
}

// firstStep names the call to begin with.
func firstStep(args map[string]string) string {
	switch {
	case args["core"] != "":
		return fmt.Sprintf("Begin with `debugger_open_core` on %s. A core file has no past: read its end.", args["core"])
	case args["program"] != "":
		with := ""
		if args["args"] != "" {
			with = " with the arguments " + args["args"]
		}
		return fmt.Sprintf("Begin with `debugger_launch` on %s%s, then `debugger_continue` with `record: true`.", args["program"], with)
	}
	return "Ask the user which program fails and how it is started, unless the conversation says so. Then begin with `debugger_launch`."
}

//go:embed skills
var skillFiles embed.FS

// Skills returns the skills that come with the debugger, one in each folder.
func Skills() fs.FS {
	files, err := fs.Sub(skillFiles, "skills")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return files
}

// skills returns the source of the skills.
func skills() mcp.ResourceSource {
	source, err := skill.Source("debugger", "debug:read", Skills())
	if err != nil {
		panic(err) // a test serves it
	}
	return source
}

// A SessionInfo describes a debugging session, for operators.
type SessionInfo struct {
	session.State

	Target string               // the process or the file
	Client string               // the client's connection, session or key
	Frames []inspect.StackFrame // innermost first; none while the process runs or a call uses it
}

// The work of an overview is bounded: it must not disturb those who debug.
const (
	overviewFrames = 16
	overviewWait   = 100 * time.Millisecond
)

// Overview describes the sessions of all clients of a family that Open has opened. It
// changes nothing: a process that runs goes on, and a client's next answer still has
// the state that is news to it.
func (c *Config) Overview(ctx context.Context) []SessionInfo {
	if c.sessions == nil {
		return nil
	}
	var all []SessionInfo
	for _, s := range c.sessions.All() {
		all = append(all, describe(ctx, s))
	}
	return all
}

// SessionCount returns the number of debugger sessions. It waits for none of them.
func (c *Config) SessionCount() int {
	if c.sessions == nil {
		return 0
	}
	return len(c.sessions.All())
}

// describe describes a session, with its stack if no call is using it.
func describe(ctx context.Context, s *session.Session) SessionInfo {
	info := SessionInfo{State: s.State(), Target: s.Target.Name(), Client: s.Key}
	ctx, cancel := context.WithTimeout(ctx, overviewWait)
	defer cancel()
	_, release, err := s.Acquire(ctx)
	if err != nil {
		return info // a call uses it, or it has ended
	}
	defer release()
	if s.RequireStopped() != nil {
		return info
	}
	if frames, err := s.Inspector.Frames(0, overviewFrames); err == nil { // without a stack, the state is shown alone
		info.Frames = inspect.StackFrames(frames)
	}
	return info
}

// The resources with the output of launched programs have URIs such as
// debugger://output/dbg-0a1b2c3d.
const (
	outputScheme    = "debugger"
	outputAuthority = "output"
	outputPrefix    = outputScheme + "://" + outputAuthority + "/"
)

// maxOutputResource is the maximum size of the text of a resource: the latest
// output.
const maxOutputResource = 64 << 10

// outputs serves what launched programs have written, to the clients that have
// launched them. Reading it does not change what the answers of tools show.
func (g *groups) outputs() mcp.ResourceSource {
	return mcp.ResourceSource{
		Scheme: outputScheme, Authority: outputAuthority, Scope: sessiontools.ReadScope, Extension: true,
		LookUp: sessiontools.LookUp,
		List:   g.listOutputs, Read: g.readOutput,
		Templates: []mcp.ResourceTemplate{{
			URITemplate: outputPrefix + "{session}", Name: "output", Title: "Output of a launched program", MIMEType: "text/plain",
		}},
	}
}

// listOutputs lists the outputs of the caller's programs, of which there are few.
func (g *groups) listOutputs(_ context.Context, call *mcp.Call, after string, limit int) (items []mcp.Resource, next string, err error) {
	own := g.sessions.Own(call.StateKey())
	slices.SortFunc(own, func(a, b *session.Session) int { return cmp.Compare(a.ID, b.ID) })
	for _, s := range own {
		uri := outputPrefix + s.ID
		switch {
		case s.Target.Output == nil || uri <= after:
		case len(items) == limit:
			return items, items[limit-1].URI, nil
		default:
			items = append(items, mcp.Resource{URI: uri, Name: s.Target.Name(), Title: "Output of " + s.Target.Name(), MIMEType: "text/plain"})
		}
	}
	return items, "", nil
}

func (g *groups) readOutput(_ context.Context, call *mcp.Call, uri string) ([]mcp.Contents, error) {
	var s *session.Session
	if id := strings.TrimPrefix(uri, outputPrefix); id != "" {
		s, _ = g.sessions.Find(call.StateKey(), id) // nil is reported below
	}
	if s == nil || s.Target.Output == nil {
		return nil, &mcp.ResourceNotFoundError{URI: uri}
	}
	return []mcp.Contents{{URI: uri, MIMEType: "text/plain", Text: s.Target.Output.Tail(maxOutputResource)}}, nil
}

// watch tells subscribers when their programs write something.
func (g *groups) watch(ctx context.Context, changes mcp.Changes) error {
	stop := g.sessions.WatchOutput(func(id string) { changes.ResourceUpdated(outputPrefix + id) })
	defer stop()
	<-ctx.Done()
	return nil
}

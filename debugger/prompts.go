package debugger

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/skill"
)

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

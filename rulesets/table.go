package rulesets

import (
	"errors"

	"github.com/triptych-mcp/triptych/mcp"
)

// setHistory is the toolset for revisions and labels.
const setHistory = "history"

// setFinding is the toolset for searches and checks.
const setFinding = "finding"

func (t *tools) table() *mcp.Table {
	return &mcp.Table{
		Family: "rulesets",
		Documented: &mcp.Documented{
			Identity:     mcp.Implementation{Name: "MCP Ruleset Server", Version: "1.0.0"},
			Capabilities: mcp.CapabilityResources | mcp.CapabilityTools | mcp.CapabilityLogging,
		},
		Changing: mcp.CapabilityResources | mcp.CapabilityPrompts,
		Instructions: "Rulesets are a team's rules for AI editors. Look for one that fits with list_rulesets or search_rulesets, " +
			"read it with get_ruleset or as the resource ruleset://NAME, and follow it.",
		Tools: []mcp.Tool{
			{
				Name: "create_ruleset", Title: "Create ruleset", Scope: scopeWrite, OrScope: scopePropose,
				Doc:     "Create a new ruleset with metadata and content",
				Details: changeDetails, Call: mcp.Typed(t.create),
			},
			{
				Name: "get_ruleset", Title: "Get ruleset", Scope: scopeRead, Hints: mcp.ReadOnly,
				LookUp: "it reads rulesets, which every caller with the scope may read",
				Doc:    "Retrieve a ruleset by its exact name",
				Call:   mcp.Typed(t.get),
			},
			{
				Name: "update_ruleset", Title: "Update ruleset", Scope: scopeWrite, OrScope: scopePropose, Hints: mcp.Destructive,
				Doc:     "Update an existing ruleset. Only provided fields will be updated",
				Details: changeDetails, Call: mcp.Typed(t.update),
			},
			{
				Name: "delete_ruleset", Title: "Delete ruleset", Scope: scopeWrite, OrScope: scopePropose, Hints: mcp.Destructive,
				Doc:     "Delete a ruleset by name",
				Details: changeDetails, Call: mcp.Typed(t.delete),
			},
			{
				Name: "list_rulesets", Title: "List rulesets", Scope: scopeRead, Hints: mcp.ReadOnly,
				LookUp: "it reads rulesets, which every caller with the scope may read",
				Doc:    "List all available rulesets with metadata (excluding markdown content)",
				Call:   mcp.Typed(t.list),
			},
			{
				Name: "search_rulesets", Title: "Search rulesets", Scope: scopeRead, Hints: mcp.ReadOnly,
				LookUp: "it reads rulesets, which every caller with the scope may read",
				Doc:    "Search for rulesets by name pattern using glob syntax",
				Call:   mcp.Typed(t.search),
			},
			{
				Name: "find_rulesets", Title: "Find rulesets", Scope: scopeRead, Hints: mcp.ReadOnly, Extension: true, Toolset: setFinding,
				Doc:    "Search texts, or by path which rules apply to a file, and why",
				LookUp: "it reads rulesets, which every caller with the scope may read",
				Call:   mcp.Typed(t.find),
			},
			{
				Name: "lint_ruleset", Title: "Check ruleset", Scope: scopeRead, Hints: mcp.ReadOnly, Extension: true, Toolset: setFinding,
				Doc:    "Look for hidden text, secrets, mistakes in a ruleset or in markdown",
				LookUp: "it reads rulesets, which every caller with the scope may read",
				Call:   mcp.Typed(t.lint),
			},
			{
				Name: "ruleset_history", Title: "History", Scope: scopeRead, Hints: mcp.ReadOnly, Extension: true, Toolset: setHistory,
				Doc:    "List revisions or moves of labels, or with from or to show a diff",
				LookUp: "it reads rulesets, which every caller with the scope may read",
				Call:   mcp.Typed(t.history),
			},
			{
				Name: "label_ruleset", Title: "Label ruleset", Scope: scopeWrite, OrScope: scopePropose, Hints: mcp.Destructive, Extension: true, Toolset: setHistory,
				Doc:     "Move a label such as production to a revision",
				Details: labelDetails, Call: mcp.Typed(t.label),
			},
			{
				Name: "apply_rulesets", Title: "Apply changes", Scope: scopeWrite, OrScope: scopePropose, Hints: mcp.Destructive, Extension: true, Toolset: setHistory,
				Doc:     "Change several rulesets, all or none; dry_run shows the diff",
				Details: applyDetails, Call: mcp.Typed(t.apply),
			},
		},
		Resources:    []mcp.ResourceSource{t.source(), t.skills(), t.unserved.source()},
		Prompts:      t.builtinPrompts(),
		PromptSource: t.promptSource(),
		Errors:       wireError,
		Watch:        t.watch,
		EndSession:   t.reads.end,
		Close:        func() error { return errors.Join(t.reads.Close(), t.store.Close()) },
	}
}

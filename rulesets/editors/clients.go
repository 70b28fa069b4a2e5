package editors

import "regexp"

// Sources that many rows share. Rows that name rulesyncFormats have some facts from
// rulesync's tables of August 2026, which name the clients' documents.
const (
	rulesyncFormats = "https://github.com/dyoshikawa/rulesync/blob/cfebcd751ddadb07fbcb6f657a8200e5803b4d1b/docs/reference/file-formats.md"
	skillsawDevin   = "https://github.com/stbenjam/skillsaw/blob/2c5f3fca77f712bc560725e61441e7c676ac14f8/docs/rules/devin-rules-valid.md"
	copilotRuntime  = "https://github.com/microsoft/vscode/blob/main/src/vs/sessions/copilot-customizations-spec.md"
)

const agentsFile = "AGENTS.md"

// inAgents are the loads of clients that know AGENTS.md alone.
func inAgents(in Scope, others ...string) []Load {
	names := [][]string{{agentsFile}}
	for _, other := range others {
		names = append(names, []string{other})
	}
	return []Load{{In: in, Names: names}}
}

// forGlobs and the like are the activations that fields are written for.
var (
	forGlobs     = []Activation{Glob}
	forGlobsToo  = []Activation{Glob, Always}
	forAuto      = []Activation{Auto}
	forNotManual = []Activation{Always, Glob, Auto}
	described    = []Field{{Key: "description", Kind: Description}}
)

// Placeholders of several clients. Claude Code counts from 0 in brackets; what it makes
// of a bare $1 depends on its version.
var (
	claudeArgs = Placeholders{All: "$ARGUMENTS", Each: "$ARGUMENTS[%d]"}
	dollarArgs = Placeholders{All: "$ARGUMENTS", Each: "$%d", First: 1}
)

// The texts that several clients replace in commands.
var (
	shellEmbeds    = &Embeds{[]string{"!`command`"}, regexp.MustCompile("(?m)(?:^|\\s)!`[^`\n]+`")}
	braceEmbeds    = &Embeds{[]string{"!{command}", "@{file}"}, regexp.MustCompile(`[!@]\{[^\s{}][^{}\n]*`)}
	variableEmbeds = &Embeds{
		[]string{"${workspaceFolder}", "${selection}", "${file}"},
		regexp.MustCompile(`\$\{(?:workspaceFolder(?:Basename)?|selection|selectedText|file|fileBasename(?:NoExtension)?|fileDirname)\}`),
	}
)

// triggers returns the fields of Devin and Antigravity, which write globs in different
// forms.
func triggers(globs Kind) []Field {
	return []Field{
		{Key: "trigger", Kind: Mode},
		{Key: "globs", Kind: globs, When: forGlobs},
		{Key: "description", Kind: Description},
	}
}

// devinRules is a folder of Devin, in its place of today or in that of Windsurf.
func devinRules(dir string) Folder {
	return Folder{
		Dir: dir, Ext: ".md", Deep: true, Fields: triggers(ListGlobs), Modes: triggerModes, Bare: Manual, Described: Auto,
		Wrong: []string{"paths", "applyTo", "alwaysApply"},
	}
}

var triggerModes = map[Activation]string{Always: "always_on", Glob: "glob", Auto: "model_decision", Manual: "manual"}

// onlyGlobs are the projections of clients that know rules with and without globs.
var onlyGlobs = map[Activation]Activation{Auto: Always, Manual: ""}

// claudeRules is the folder of Claude Code, as it and others match its globs.
func claudeRules(d Dialect, deep bool) Folder {
	return Folder{
		Dir: ".claude/rules", Ext: ".md", Dialect: d, Deep: deep,
		Fields:   []Field{{Key: "paths", Kind: ListGlobs, When: forGlobs}},
		Bare:     Always,
		Projects: onlyGlobs,
		Wrong:    []string{"globs", "applyTo", "alwaysApply"},
	}
}

var instructions = Folder{
	Dir: ".github/instructions", Ext: ".instructions.md",
	Fields: []Field{
		{Key: "description", Kind: Description},
		{Key: "applyTo", Kind: CommaGlobs, When: forGlobsToo},
	},
	Bare: Manual, Described: Auto, Dialect: Dialect{Base: true, NoRoot: true},
	Projects: onlyGlobs,
	Ignores:  []string{".md"},
	Wrong:    []string{"globs", "paths", "alwaysApply"},
}

// Clients is the table of all clients. The order is that of the documentation.
var Clients = []Client{
	{
		Name: "agents", Title: "AGENTS.md", Shared: agentsFile, Nested: true,
		Skills: []string{".agents/skills"},
		Loads:  inAgents(Parent),
		Source: "https://agents.md/", More: []string{rulesyncFormats}, Read: "2026-11-22",
		Note: "The file for every client that reads AGENTS.md. All AGENTS.md from the root to a file's folder count, the nearest is read last.",
	},
	{
		Name: "claude", Title: "Claude Code",
		Home:     []string{".claude/CLAUDE.md", ".claude/rules"},
		Links:    &Links{Folders: true},
		Folder:   new(claudeRules(Dialect{Ignore: true}, true)),
		Commands: &Commands{Dir: ".claude/commands", Ext: ".md", Fields: described, HintKey: "argument-hint", Args: claudeArgs, Embeds: shellEmbeds, Source: "https://code.claude.com/docs/en/skills", Read: "2026-11-28"},
		Skills:   []string{".claude/skills"},
		Loads: []Load{
			{In: Parent, Names: [][]string{{"CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"}}},
			{In: Parent, Names: [][]string{{"CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"}, {agentsFile, ".claude/AGENTS.md"}}, Unless: []string{"CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"}},
		},
		Imports: &Imports{Below: true},
		Source:  "https://code.claude.com/docs/en/memory",
		More:    []string{"https://github.com/anthropics/claude-code/blob/v2.1.277/mods/agents-md/README.md", "https://github.com/anthropics/claude-code/issues/17204"},
		Read:    "2026-11-23", Asked: "2.1.330",
		Note: "A rule without paths is loaded with every request; paths match as lines of .gitignore do. AGENTS.md is read where a folder has no CLAUDE.md, and not at all if the working directory or a folder above it has one, since 2.1.277 and not on Bedrock, Vertex or Foundry; the target claude-import writes a CLAUDE.md that imports it.",
	},
	{
		Name: "claude-import", Title: "CLAUDE.md that imports AGENTS.md", Shared: "CLAUDE.md",
		Loads:  []Load{{In: Root, Names: [][]string{{"CLAUDE.md"}}}},
		Source: "https://code.claude.com/docs/en/memory", Read: "2026-11-22",
		Note: "One line, @AGENTS.md, for those whose Claude Code does not read AGENTS.md. It needs the target agents.",
	},
	{
		Name: "cursor", Title: "Cursor",
		Folder: &Folder{
			Dir: ".cursor/rules", Ext: ".mdc", Deep: true, Dialect: Dialect{Base: true},
			Fields: []Field{
				{Key: "description", Kind: Description, When: forNotManual},
				{Key: "globs", Kind: RawGlobs, When: forGlobsToo},
				{Key: "alwaysApply", Kind: AlwaysApply},
			},
			Bare: Manual, Described: Auto,
			Ignores: []string{".md"},
			Wrong:   []string{"paths", "applyTo"},
		},
		Commands: &Commands{Dir: ".cursor/commands", Ext: ".md"},
		Skills:   []string{".cursor/skills", ".agents/skills", ".claude/skills"},
		Loads: []Load{
			{In: Root, Names: [][]string{{".cursorrules"}}},
			{In: Parent, Names: [][]string{{agentsFile}}},
		},
		Source: "https://cursor.com/docs/context/rules",
		More:   []string{"https://github.com/hass-energy/haeo/issues/176", "https://raw.githubusercontent.com/stbenjam/skillsaw/main/docs/rules/cursor-rules-valid.md"},
		Read:   "2026-11-22",
		Note:   "Files that end in .md are not read in .cursor/rules. Globs are written without quotes, as Cursor writes them.",
	},
	{
		Name: "copilot", Title: "GitHub Copilot",
		Home:     []string{".copilot/copilot-instructions.md", ".copilot/instructions"},
		Links:    &Links{Outside: true},
		Folder:   &instructions,
		Commands: &Commands{Dir: ".github/prompts", Ext: ".prompt.md", Fields: described, Args: Placeholders{Each: "${input:%s}"}, Embeds: variableEmbeds, Source: "https://code.visualstudio.com/docs/copilot/customization/prompt-files", Read: "2026-11-22"},
		Skills:   []string{".github/skills", ".agents/skills", ".claude/skills"},
		Loads: []Load{
			{In: Parent, Names: [][]string{{".github/copilot-instructions.md", agentsFile, "CLAUDE.md", ".claude/CLAUDE.md", "GEMINI.md"}}},
		},
		Budgets: []Budget{{
			Of: FileBudget, Size: 4000, Chars: true, Effect: "code review may read the beginning only",
			Source: "https://github.com/github/docs/issues/42761",
		}},
		Source: "https://docs.github.com/en/copilot/how-tos/configure-custom-instructions/add-repository-instructions",
		More:   []string{copilotRuntime}, Read: "2026-11-23", Asked: "1.0.102",
		Imports:     &Imports{Trims: true, Source: "https://github.com/fsprojects/FSharp.Azure.Cosmos/blob/bc845838e5f7406b5b18b7450926097869c971f8/.github/instructions/file-references.findings.md"},
		DropsCopies: true,
		Note:        "Files with the same content are loaded once. The command line loads instructions without applyTo with every request; VS Code does not. It matches a glob without / in any folder; GitHub's page says in the root.",
	},
	{
		Name: "vscode", Title: "VS Code", FormOf: "copilot",
		Folder: &Folder{
			Dir: instructions.Dir, Ext: instructions.Ext, Fields: instructions.Fields, Bare: Manual, Described: Auto,
			Projects: onlyGlobs, Dialect: Dialect{AnyDepth: true, IgnoreCase: true}, Ignores: instructions.Ignores, Wrong: instructions.Wrong,
		},
		Others:   []Folder{claudeRules(Dialect{}, false)},
		Commands: &Commands{Dir: ".github/prompts", Ext: ".prompt.md", Fields: described, Args: Placeholders{Each: "${input:%s}"}, Embeds: variableEmbeds, Source: "https://code.visualstudio.com/docs/copilot/customization/prompt-files", Read: "2026-11-22"},
		Skills:   []string{".github/skills", ".agents/skills", ".claude/skills"},
		Loads: []Load{
			{In: Root, Names: [][]string{{".github/copilot-instructions.md", agentsFile, "CLAUDE.md"}}},
		},
		Source: "https://code.visualstudio.com/docs/copilot/customization/custom-instructions",
		More: []string{
			"https://github.com/microsoft/vscode/blob/main/src/vs/workbench/contrib/chat/common/promptSyntax/computeAutomaticInstructions.ts",
			"https://github.com/microsoft/vscode/issues/311462",
		},
		Read: "2026-11-22",
		Note: "It puts **/ before a glob that begins with neither / nor **/, and ignores case. It also reads .claude/rules.",
	},
	{
		Name: "codex", Title: "Codex", Shared: agentsFile,
		Home:   []string{".codex/AGENTS.override.md", ".codex/AGENTS.md"},
		Skills: []string{".agents/skills"},
		Loads:  []Load{{In: Chain, Names: [][]string{{"AGENTS.override.md"}, {agentsFile}}}},
		Budgets: []Budget{{
			Of: ChainBudget, Size: 32768, Effect: "cut, without a word",
			Source: "https://github.com/openai/codex/blob/0cf644af40f76ffdfbac134b4b17aca78e8dcef5/codex-rs/core/src/agents_md.rs",
		}},
		Source: "https://github.com/openai/codex/blob/0cf644af40f76ffdfbac134b4b17aca78e8dcef5/codex-rs/core/src/agents_md.rs",
		Read:   "2026-11-22", Asked: "0.169.0",
		Note: "One file a folder, from the root to the working directory; folders below it are never read.",
	},
	{
		Name: "devin", Title: "Devin (Windsurf)",
		Folder: new(devinRules(".devin/rules")),
		Others: []Folder{devinRules(".windsurf/rules")},
		Skills: []string{".devin/skills", ".agents/skills"},
		Loads:  []Load{{In: Parent, Names: [][]string{{agentsFile, "AGENT.md", "CLAUDE.md", "AGENTS.local.md"}}}},
		Budgets: []Budget{
			{Of: FileBudget, Size: 12000, Chars: true, Effect: "cut", Source: skillsawDevin},
			{Of: UserBudget, Size: 6000, Chars: true, Effect: "ignored beyond", Source: "https://github.com/btsouth/toolport/blob/03dbe9db2a92e9dd447a48bf48c18a5edfbdfb69/docs/agent-rules.md"},
		},
		Source: "https://docs.devin.ai/desktop/cascade/memories",
		More:   []string{"https://docs.devin.ai/desktop/devin-local/customizations", "https://cli.devin.ai/docs/extensibility/rules", skillsawDevin}, Read: "2026-11-23",
		Note: "Devin Desktop was Windsurf until June 2026; .windsurf/rules is still read. Its command line fails on globs that are no list. A rule without trigger is a glob rule, one for the model or a manual one by what else it has.",
	},
	{
		Name: "cline", Title: "Cline",
		Folder: &Folder{
			Dir: ".clinerules", Ext: ".md", Flat: true,
			Fields:   []Field{{Key: "description", Kind: Description, When: forGlobs}, {Key: "paths", Kind: ListGlobs, When: forGlobs}},
			Bare:     Always,
			Projects: onlyGlobs,
			Wrong:    []string{"globs", "applyTo"},
		},
		Commands: &Commands{Dir: ".clinerules/workflows", Ext: ".md"},
		Skills:   []string{".cline/skills", ".claude/skills"},
		Loads:    []Load{{In: Root, Names: [][]string{{agentsFile, ".cursorrules", ".windsurfrules"}}}},
		Source:   "https://github.com/cline/cline/blob/21cb8d2525bcedf1f4b6890b27a74a14fe7451e4/docs/customization/cline-rules.mdx",
		More:     []string{"https://github.com/cline/cline/blob/21cb8d2525bcedf1f4b6890b27a74a14fe7451e4/apps/vscode/src/core/context/instructions/user-instructions/rule-conditionals.ts"},
		Read:     "2026-11-22", Asked: "3.0.65",
		Note: "paths that are no list are ignored, and the rule is always loaded; an empty list disables it. Its command line loads the rules of the folder in which it starts, whatever their paths are, and .cline/rules, but neither .cursorrules nor .windsurfrules.",
	},
	{
		Name: "kiro", Title: "Kiro",
		Home: []string{".kiro/steering"},
		Folder: &Folder{
			Dir: ".kiro/steering", Ext: ".md", Flat: true,
			Fields: []Field{
				{Key: "inclusion", Kind: Mode},
				{Key: "name", Kind: Name, When: forAuto},
				{Key: "description", Kind: Description, When: forAuto},
				{Key: "fileMatchPattern", Kind: EitherGlobs, When: forGlobs},
			},
			Modes: map[Activation]string{Always: "always", Glob: "fileMatch", Auto: "auto", Manual: "manual"},
			Bare:  Always,
			Wrong: []string{"globs", "paths", "applyTo"},
		},
		Skills: []string{".kiro/skills"},
		Loads:  inAgents(Parent),
		Source: "https://kiro.dev/docs/steering/", More: []string{"https://github.com/kirodotdev/Kiro/issues/9176", rulesyncFormats}, Read: "2026-11-23",
	},
	{
		Name: "zed", Title: "Zed", Shared: agentsFile,
		Skills: []string{".agents/skills"},
		Loads: []Load{{In: Root, Names: [][]string{
			{".rules"}, {".cursorrules"}, {".windsurfrules"}, {".clinerules"}, {".github/copilot-instructions.md"},
			{"AGENT.md"}, {agentsFile}, {"CLAUDE.md"}, {"GEMINI.md"},
		}}},
		Source: "https://github.com/zed-industries/zed/blob/001118731f8ce7e85031ffd0bdbefb03be5e7e4b/docs/src/ai/rules.md", Read: "2026-11-22",
		Note: "Only the first of its candidates is loaded, .rules before all.",
	},
	{
		Name: "antigravity", Title: "Antigravity",
		Folder: &Folder{
			Dir: ".agents/rules", Ext: ".md", Fields: triggers(CommaGlobs), Modes: triggerModes, Bare: Always,
			Wrong: []string{"paths", "applyTo", "alwaysApply"},
		},
		Commands: &Commands{Dir: ".agents/workflows", Ext: ".md", Fields: described},
		Skills:   []string{".agents/skills"},
		Loads:    []Load{{In: Root, Names: [][]string{{agentsFile, "GEMINI.md", "CONTEXT.md"}}}},
		Budgets:  []Budget{{Of: FileBudget, Size: 12000, Chars: true, Effect: "perhaps cut", Source: "https://antigravity.google/docs/rules-workflows"}},
		Source:   "https://antigravity.google/docs/rules-workflows", More: []string{"https://discuss.ai.google.dev/t/new-folder-for-rules/126165", rulesyncFormats}, Read: "2026-11-23",
		Note: "The IDE reads trigger; the command line loads every rule. The folder .agent, of before 1.19, is read where there is no .agents.",
	},
	{
		Name: "gemini", Title: "Gemini CLI", Shared: "GEMINI.md", Nested: true,
		Home:     []string{".gemini/GEMINI.md"},
		Commands: &Commands{Dir: ".gemini/commands", Ext: ".toml", Fields: described, TOML: true, Args: Placeholders{All: "{{args}}"}, Embeds: braceEmbeds, Source: "https://github.com/google-gemini/gemini-cli/blob/5411f113cafae26161b4969b0237b8e1e024e2c2/docs/cli/custom-commands.md", Read: "2026-11-22"},
		Skills:   []string{".gemini/skills", ".agents/skills"},
		Loads:    []Load{{In: Parent, Names: [][]string{{"GEMINI.md"}}}},
		Imports:  &Imports{},
		Source:   "https://github.com/google-gemini/gemini-cli/blob/5411f113cafae26161b4969b0237b8e1e024e2c2/docs/cli/gemini-md.md",
		More:     []string{"https://github.com/google-gemini/gemini-cli/blob/5411f113cafae26161b4969b0237b8e1e024e2c2/docs/cli/custom-commands.md"},
		Read:     "2026-11-22", Asked: "0.61.0",
		Note: "Other names, such as AGENTS.md, count only where context.fileName names them.",
	},
	{
		Name: "augment", Title: "Augment",
		Home: []string{".augment/rules"},
		Folder: &Folder{
			Dir: ".augment/rules", Ext: ".md",
			Fields: []Field{{Key: "type", Kind: Mode}, {Key: "description", Kind: Description}},
			Modes:  map[Activation]string{Always: "always_apply", Auto: "agent_requested", Manual: "manual"},
			Bare:   Always, Described: Auto, Projects: map[Activation]Activation{Glob: Auto},
			Wrong: []string{"globs", "paths", "applyTo"},
		},
		Commands: &Commands{Dir: ".augment/commands", Ext: ".md", Fields: described, HintKey: "argument-hint", Args: Placeholders{All: "$ARGUMENTS"}, Source: "https://docs.augmentcode.com/jetbrains/using-augment/custom-commands", Read: "2026-11-28"},
		Skills:   []string{".augment/skills", ".agents/skills", ".claude/skills"},
		Loads: []Load{
			{In: Parent, Names: [][]string{{"CLAUDE.md", agentsFile}}},
			{In: Root, Names: [][]string{{".augment-guidelines"}}},
		},
		Source: "https://docs.augmentcode.com/cli/rules", More: []string{"https://www.npmjs.com/package/@augmentcode/auggie/v/0.36.0"}, Read: "2026-11-23", Asked: "0.36.0",
		Note: "It has no globs: such a rule is loaded when the model asks for it, by its description. Its command line reads AGENTS.md and CLAUDE.md below the root only where Augment's service allows that.",
	},
	{
		Name: "amp", Title: "Amp", Shared: agentsFile, Nested: true,
		Home:   []string{".config/amp/AGENTS.md"},
		Skills: []string{".agents/skills", ".claude/skills"},
		Loads:  inAgents(Parent, "AGENT.md", "CLAUDE.md"),
		Source: "https://ampcode.com/manual", More: []string{rulesyncFormats, "https://ampcode.com/news/globs-in-AGENTS.md", "https://decodeclaude.com/amp-code-spec/implementation/09-memory/"}, Read: "2026-11-23",
	},
	{
		Name: "opencode", Title: "OpenCode", Shared: agentsFile, Nested: true,
		Home:     []string{".config/opencode/AGENTS.md", ".claude/CLAUDE.md"},
		Links:    &Links{},
		Commands: &Commands{Dir: ".opencode/commands", Ext: ".md", Fields: described, Args: dollarArgs, Embeds: shellEmbeds, Source: "https://opencode.ai/docs/commands/", Read: "2026-11-28"},
		Skills:   []string{".opencode/skills", ".agents/skills", ".claude/skills"},
		Loads:    inAgents(Parent, "CLAUDE.md", "CONTEXT.md"),
		Source:   "https://opencode.ai/docs/rules/", Read: "2026-11-22", Asked: "1.18.33",
		Note: "Files that opencode.json names under instructions are loaded, too.",
	},
	{
		Name: "kilo", Title: "Kilo Code", Shared: agentsFile, Nested: true,
		Commands: &Commands{Dir: ".kilo/commands", Ext: ".md", Fields: described, Args: dollarArgs, Embeds: shellEmbeds, Source: "https://opencode.ai/docs/commands/", Read: "2026-11-28"},
		Skills:   []string{".kilo/skills", ".agents/skills", ".claude/skills"},
		Loads:    inAgents(Parent, "CLAUDE.md", "CONTEXT.md"),
		Source:   "https://github.com/Kilo-Org/kilocode/blob/002186d50ad4b569733b76b066f15a89fbd8a5cb/packages/opencode/src/session/instruction.ts", Read: "2026-11-22", Asked: "7.7.9",
		Note: "Files in .kilo/rules are loaded only where kilo.jsonc names them under instructions.",
	},
	{
		Name: "junie", Title: "Junie", Shared: agentsFile,
		Commands: &Commands{Dir: ".junie/commands", Ext: ".md", Fields: described},
		Skills:   []string{".junie/skills", ".agents/skills"},
		Loads:    []Load{{In: Root, Names: [][]string{{".junie/AGENTS.md"}, {agentsFile}, {".junie/guidelines.md"}}}},
		Source:   "https://junie.jetbrains.com/docs/guidelines-and-memory.html", More: []string{"https://github.com/JetBrains/junie-guidelines", rulesyncFormats}, Read: "2026-11-23",
		Note: "Only the first of its candidates is loaded, .junie/AGENTS.md before all.",
	},
	{
		Name: "warp", Title: "Warp", Shared: agentsFile, Nested: true,
		Skills: []string{".warp/skills", ".agents/skills", ".claude/skills"},
		Loads:  []Load{{In: Parent, Names: [][]string{{"WARP.md"}, {agentsFile}}}},
		Source: "https://docs.warp.dev/agent-platform/capabilities/rules/", Read: "2026-11-23",
		Note: "The root's file and that of the working directory are always read, those of other folders where a file in them is edited.",
	},
	{
		Name: "qwen", Title: "Qwen Code",
		Home: []string{".qwen/QWEN.md"},
		Folder: &Folder{
			Dir: ".qwen/rules", Ext: ".md", Dialect: Dialect{NoDots: true},
			Fields:   []Field{{Key: "description", Kind: Description, When: forGlobs}, {Key: "paths", Kind: ListGlobs, When: forGlobs}},
			Bare:     Always,
			Projects: onlyGlobs,
			Wrong:    []string{"globs", "applyTo", "alwaysApply"},
		},
		Commands: &Commands{Dir: ".qwen/commands", Ext: ".md", Fields: described, HintKey: "argument-hint", Args: Placeholders{All: "{{args}}"}, Embeds: braceEmbeds, Source: "https://qwenlm.github.io/qwen-code-docs/en/users/features/commands", Read: "2026-11-28"},
		Skills:   []string{".qwen/skills", ".agents/skills"},
		Loads:    []Load{{In: Chain, Names: [][]string{{"QWEN.md", agentsFile}}}},
		Imports:  &Imports{Source: "https://github.com/QwenLM/qwen-code/blob/1f53b477e66529c3af184e31d9a6614815482af4/packages/core/src/utils/memoryImportProcessor.ts"},
		Source:   "https://github.com/QwenLM/qwen-code/blob/1aba1b9f468a4a358bae4169c796d874c5ed4a07/packages/core/src/utils/rulesDiscovery.ts",
		Read:     "2026-11-22", Asked: "0.24.4",
		Note: "A * does not match a leading dot.",
	},
}

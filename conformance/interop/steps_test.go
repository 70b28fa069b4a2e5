package interop_test

import (
	"strings"
)

// A step is one thing that a client does; see node/scenario.mjs and
// gosdk/scenario.go for what each word does.
type step struct {
	Do      string         `json:"do"`
	Name    string         `json:"name,omitempty"`
	URI     string         `json:"uri,omitempty"`
	Value   string         `json:"value,omitempty"`
	Args    map[string]any `json:"args,omitzero"`
	Invalid bool           `json:"invalid,omitempty"` // the arguments do not fit the tool's schema

	// naming is a part that the text of the error must contain. If it does, the part
	// replaces the text, whose other words are not documented.
	naming string

	want func(client) outcome
}

// An outcome is an SDK's view of the answer: names, a text, or the error
// that the server sent.
type outcome struct {
	Names      []string `json:"names,omitempty"`
	Text       string   `json:"text,omitempty"`
	IsError    bool     `json:"isError,omitempty"`
	Structured bool     `json:"structured,omitempty"`
	Code       int      `json:"code,omitempty"`
	Message    string   `json:"message,omitempty"`
}

// object is arguments as JSON.
type object = map[string]any

// nothing comes of the step but that it was done.
func nothing(client) outcome { return outcome{} }

func names(list ...string) func(client) outcome {
	return func(client) outcome { return outcome{Names: list} }
}

func contents(text string) func(client) outcome {
	return func(client) outcome { return outcome{Text: text} }
}

// done is the answer of a tool: structured as well from 2025-06-18 on.
func done(text string) func(client) outcome {
	return func(c client) outcome { return outcome{Text: text, Structured: c.revision >= "2025-06-18"} }
}

// failed is the answer of a tool that says to the model what is wrong.
func failed(text string) func(client) outcome {
	return func(client) outcome { return outcome{Text: text, IsError: true} }
}

// refused is an error of the protocol.
func refused(code int, message string) func(client) outcome {
	return func(client) outcome { return outcome{Code: code, Message: message} }
}

// wrongDay: errors in arguments of this family are the protocol's, and the
// model's from 2025-11-25 on.
func wrongDay(c client) outcome {
	const message = "Invalid params: day must be between 1 and 25"
	if c.revision >= "2025-11-25" {
		return outcome{Text: message, IsError: true}
	}
	return outcome{Code: -32602, Message: message}
}

// noCookie: the model sees errors of tools from 2025-11-25 on (docs/revisions.md).
func noCookie(c client) outcome {
	if c.revision >= "2025-11-25" {
		return outcome{Text: login, IsError: true}
	}
	return outcome{Code: -1, Message: login}
}

// noResource has a code of its own up to 2025-11-25, for which version 2 of the
// TypeScript SDK puts the one of 2026-07-28.
func noResource(message string) func(client) outcome {
	return func(c client) outcome {
		if c.revision >= "2026-07-28" || c.program == typescript2 {
			return outcome{Code: -32602, Message: message}
		}
		return outcome{Code: -32002, Message: message}
	}
}

const (
	pythonStyle = "ruleset://python_style"
	exists      = "failed to create ruleset: ruleset 'python_style' already exists. Please choose a different name. Existing rulesets: [python_style]"
	login       = "triptych aoc login"
	puzzle      = "# Day 1\n\n## Phase 1\nFirst half\n\n\n## Phase 2\nSecond half\n"
)

// clock stands for every date and time in texts.
const clock = "TIME"

// entry is the ruleset's entry in lists.
func entry(description, tags string) string {
	return "- **python_style**: " + description + "\n  Tags: [" + tags + "]\n  Created: " + clock + ", Modified: " + clock + "\n\n"
}

// page is the ruleset with its front matter. The document of the family separates
// the tags by spaces in the tool's answer, and by commas in the resource.
func page(description, tags string) string {
	return strings.Join([]string{
		"---", "name: python_style", "description: " + description, "tags: [" + tags + "]",
		"created_at: " + clock, "last_modified: " + clock, "---", "", "# Naming",
	}, "\n")
}

// The changes from the first revision of the ruleset to the second one, as a unified
// diff, and the comparison of the models in docs/aoc.md: the only model of the only
// part that was solved has the first rank, one point and the gold medal; its time is
// the median of 1000 ms and 2001 ms.
const (
	styleDiff = `--- python_style@1
+++ python_style@2
@@ -1,4 +1,4 @@
-description: Python style
-tags: [python, pep8]
+description: New style
+tags: []
 ---
 # Naming
`
	standings = "rank  model  solved  unverified  failures  runs  total  gold  silver  bronze  points\n" +
		"1     gpt4   1       1           0         2     1.5 s  1     0       0       1"
)

// steps lists the actions of every client. Every tool is called, every list is read,
// and every way in which an answer can be an error is seen.
var steps = []step{
	{Do: "tools", want: names("create_ruleset", "get_ruleset", "update_ruleset", "delete_ruleset",
		"list_rulesets", "search_rulesets", "find_rulesets", "lint_ruleset", "ruleset_history", "label_ruleset", "apply_rulesets",
		"fetch_instruction", "record_speed", "fetch_input", "aoc_progress", "speed_stats")},
	{Do: "templates", want: names("ruleset://{name}", "ruleset://{name}@{rev_or_label}", "skill://{name}/{+path}",
		"aoc://day{day}", "aoc://{year}/day{day}", "aoc://{year}/day{day}/input", "aoc://{year}/day{day}/example{n}")},
	{Do: "prompts", want: names("apply_rules", "review_against", "solve_day")},
	{Do: "resources", want: names("aoc://day01")},
	{Do: "listen", want: nothing},

	{Do: "call", Name: "create_ruleset", Args: object{
		"name": "python_style", "description": "Python style", "tags": []string{"python", "pep8"}, "markdown": "# Naming",
	}, want: done("Successfully created ruleset 'python_style'")},
	{Do: "hear", URI: "resources", want: nothing},
	{Do: "resources", want: names(pythonStyle, "aoc://day01")},
	{Do: "call", Name: "create_ruleset", Args: object{"name": "python_style", "description": "x", "markdown": "x"}, want: failed(exists)},
	{Do: "call", Name: "get_ruleset", Args: object{"name": "python_style"}, want: done(page("Python style", "python pep8"))},
	{Do: "call", Name: "list_rulesets", Args: object{}, want: done("Found 1 ruleset(s):\n\n" + entry("Python style", "python pep8"))},

	{Do: "subscribe", URI: pythonStyle, want: nothing},
	{
		Do: "call", Name: "update_ruleset", Args: object{"name": "python_style", "description": "New style", "tags": []string{}},
		want: done("Successfully updated ruleset 'python_style'"),
	},
	{Do: "hear", URI: pythonStyle, want: nothing},
	{Do: "unsubscribe", URI: pythonStyle, want: nothing},
	{Do: "read", URI: pythonStyle, want: contents(page("New style", ""))},
	{
		Do: "call", Name: "search_rulesets", Args: object{"pattern": "python*"},
		want: done("Found 1 ruleset(s) matching 'python*':\n\n" + entry("New style", "")),
	},

	{Do: "call", Name: "find_rulesets", Args: object{"text": "zebra"}, want: done("No rulesets found; there are 1")},
	{Do: "call", Name: "ruleset_history", Args: object{"name": "python_style", "from": 1, "to": 2}, want: done(styleDiff)},
	{
		Do: "call", Name: "label_ruleset", Args: object{"name": "python_style", "label": "production", "rev": 1},
		want: done("The label 'production' of ruleset 'python_style' is at revision 1"),
	},
	{
		Do: "call", Name: "get_ruleset", Args: object{"name": "python_style", "label": "production"},
		want: done(page("Python style", "python pep8")),
	},
	{Do: "read", URI: pythonStyle + "@production", want: contents(page("Python style", "python, pep8"))},
	{Do: "read", URI: pythonStyle + "@2", want: contents(page("New style", ""))},

	{Do: "complete", URI: "ruleset://{name}", Name: "name", Value: "py", want: names("python_style")},
	{Do: "complete", URI: "aoc://day{day}", Name: "day", Value: "0", want: names("01")},

	{Do: "call", Name: "fetch_instruction", Args: object{"day": 1}, want: done(puzzle)},
	{Do: "read", URI: "aoc://day01", want: contents(puzzle)},
	{
		Do: "call", Name: "record_speed", Args: object{"day": 1, "phase": 1, "llm_name": "gpt4", "speed_ms": 1000},
		want: done("Recorded gpt4 Day 1 Phase 1: 1000ms (avg: 1000ms)"),
	},
	{
		Do: "call", Name: "record_speed", Args: object{"day": 1, "phase": 1, "llm_name": "gpt4", "speed_ms": 2001},
		want: done("Recorded gpt4 Day 1 Phase 1: 2001ms (avg: 1500ms)"),
	},
	{Do: "call", Name: "speed_stats", Args: object{}, want: done(standings)},
	// Nothing is downloaded: there is no session cookie.
	{Do: "call", Name: "fetch_input", Args: object{"year": 2024, "day": 1}, naming: login, want: noCookie},
	{Do: "call", Name: "aoc_progress", Args: object{"year": 2024}, naming: login, want: noCookie},

	{
		Do: "call", Name: "create_ruleset", Args: object{"name": "go_style", "description": "x", "markdown": "x"},
		want: done("Successfully created ruleset 'go_style'"),
	},
	{Do: "call", Name: "delete_ruleset", Args: object{"name": "go_style"}, want: done("Successfully deleted ruleset 'go_style'")},
	{
		Do: "call", Name: "apply_rulesets", Args: object{"operations": []object{{"op": "restore", "name": "go_style", "rev": 1}}},
		want: done("Applied 1 operation(s):\n\n- go_style: restored, revision 3\n"), // its deletion is revision 2
	},
	{Do: "call", Name: "delete_ruleset", Args: object{"name": "go_style"}, want: done("Successfully deleted ruleset 'go_style'")},
	{
		Do: "call", Name: "delete_ruleset", Args: object{"name": "go_style"},
		want: failed("failed to delete ruleset: ruleset 'go_style' not found. Existing rulesets: [python_style]"),
	},

	{
		Do: "call", Name: "get_ruleset", Args: object{}, Invalid: true,
		want: failed("missing required parameter 'name': a string is required"),
	},
	{Do: "call", Name: "fetch_instruction", Args: object{"day": 26}, want: wrongDay},
	{Do: "call", Name: "nobody_has_this", Args: object{}, want: refused(-32602, "Unknown tool: nobody_has_this")},
	{Do: "read", URI: "ruleset://absent", want: noResource("failed to retrieve ruleset: ruleset 'absent' not found")},
}

package frontmatter

import (
	"go.yaml.in/yaml/v3"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Summarize sets the summary of a ruleset.
func Summarize(r *ruleset.Ruleset) {
	f, _ := Of(*r)
	f.summarize(r)
}

// SummarizeNode is [Summarize] for keys that were parsed already, among any others of
// the same front matter.
func SummarizeNode(r *ruleset.Ruleset, root *yaml.Node) {
	f, _ := read(root, r.Description != "")
	f.summarize(r)
}

func (f *Fields) summarize(r *ruleset.Ruleset) {
	r.Summary = ruleset.Summary{Bytes: len(r.Markdown), Prompt: f.IsPrompt(), Activation: string(f.Mode())}
}

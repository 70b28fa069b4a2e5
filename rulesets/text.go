package rulesets

import (
	"fmt"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// This file holds all texts of the family that its document specifies.

const (
	uriTemplate = "ruleset://{name}"
	// pinnedTemplate is the template for a revision or a label.
	pinnedTemplate = "ruleset://{name}@{rev_or_label}"
	uriPrefix      = "ruleset://"
	mimeType       = "text/markdown"

	takenText    = ". Please choose a different name. Existing rulesets: "
	existingText = ". Existing rulesets: "
)

// clock formats a time for texts.
func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }

// page returns a ruleset as a text with front matter. The tool separates tags by
// spaces, the resource by commas.
func page(r *ruleset.Ruleset, between string) string {
	return "---\nname: " + string(r.Name) + "\ndescription: " + r.Description + "\ntags: [" + strings.Join(r.Tags, between) +
		"]\ncreated_at: " + clock(r.CreatedAt) + "\nlast_modified: " + clock(r.LastModified) + "\n---\n\n" + r.Markdown
}

// done is the answer of a change.
type done struct {
	Name string `json:"name"`
	Verb string `json:"status"`        // created, updated, deleted or proposed
	Rev  int    `json:"rev,omitempty"` // revision after the change
	// Findings lists the findings of lint in the written text.
	Findings []string `json:"findings,omitempty"`
	// Proposal is the number of the proposal that was made instead.
	Proposal int `json:"proposal,omitempty"`

	told bool // include the findings in the text
}

// warn adds findings. Clients that name no revision get the documented text only.
func (d *done) warn(call *mcp.Call, findings []string) {
	d.Findings, d.told = findings, !call.Baseline()
}

// Content has the findings.
func (d done) Content() []mcp.Content {
	if !d.told || len(d.Findings) == 0 {
		return nil
	}
	return []mcp.Content{mcp.Text("Look at what was written:\n- " + strings.Join(d.Findings, "\n- "))}
}

func doneAt(name, verb string, rev int) done { return done{Name: name, Verb: verb, Rev: rev} }

// Text implements the text of an answer.
func (d done) Text() string {
	if d.Proposal != 0 {
		return proposedText(d.Proposal)
	}
	return fmt.Sprintf("Successfully %s ruleset '%s'", d.Verb, d.Name)
}

// proposedText tells of a proposal that was made instead of a change.
func proposedText(number int) string {
	return fmt.Sprintf("Nothing is changed yet: this is proposal %d, which waits for review. find_rulesets {\"proposals\":\"%d\"} shows it", number, number)
}

// summary is a ruleset in a list.
type summary struct {
	Name         string    `json:"name"`
	Description  string    `json:"description"`
	Tags         []string  `json:"tags"`
	CreatedAt    time.Time `json:"created_at"`
	LastModified time.Time `json:"last_modified"`
}

func summaryOf(m ruleset.Meta) summary {
	return summary{string(m.Name), m.Description, m.Tags, m.CreatedAt, m.LastModified}
}

func summaries(metas []ruleset.Meta) []summary {
	all := make([]summary, len(metas))
	for i, m := range metas {
		all[i] = summaryOf(m)
	}
	return all
}

// append writes the entry of a list.
func (s summary) append(b *strings.Builder) {
	fmt.Fprintf(b, "- **%s**: %s\n  Tags: [%s]\n  Created: %s, Modified: %s\n\n",
		s.Name, s.Description, strings.Join(s.Tags, " "), clock(s.CreatedAt), clock(s.LastModified))
}

// got is the answer of get_ruleset.
type got struct {
	Name         string    `json:"name"`
	Description  string    `json:"description"`
	Tags         []string  `json:"tags"`
	Markdown     string    `json:"markdown"`
	CreatedAt    time.Time `json:"created_at"`
	LastModified time.Time `json:"last_modified"`
	Rev          int       `json:"rev"`
	Extra        string    `json:"extra,omitempty" doc:"Further front matter, as YAML"`

	Files []fileInfo `json:"files,omitempty"`
}

// fileInfo is a file of a ruleset in an answer.
type fileInfo struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

func infosOf(files []ruleset.File) []fileInfo {
	all := make([]fileInfo, len(files))
	for i, f := range files {
		all[i] = fileInfo{f.Path, f.Size, f.SHA256.String()}
	}
	return all
}

func gotFrom(r ruleset.Ruleset) got {
	return got{
		Name: string(r.Name), Description: r.Description, Tags: r.Tags, Markdown: r.Markdown,
		CreatedAt: r.CreatedAt, LastModified: r.LastModified, Rev: r.Rev, Extra: r.Extra,
		Files: infosOf(r.Files),
	}
}

// Text is the ruleset with its front matter.
func (g got) Text() string {
	return page(&ruleset.Ruleset{
		Meta: ruleset.Meta{
			Name: ruleset.Name(g.Name), Description: g.Description, Tags: g.Tags, CreatedAt: g.CreatedAt, LastModified: g.LastModified,
		},
		Markdown: g.Markdown,
	}, " ")
}

// listed is the answer of list_rulesets.
type listed struct {
	Rulesets []summary `json:"rulesets"`
	Next     string    `json:"next_cursor,omitempty"`

	long     bool   // the client is told how to get more, or how to narrow the list
	problems string // files that are not served; "" if the client is not told
}

// Text lists the rulesets.
func (l listed) Text() string {
	if len(l.Rulesets) == 0 {
		return "No rulesets found"
	}
	return entries(fmt.Sprintf("Found %d ruleset(s):\n\n", len(l.Rulesets)), l.Rulesets)
}

// matched is the answer of search_rulesets.
type matched struct {
	Pattern  string    `json:"pattern"`
	Rulesets []summary `json:"rulesets"`

	hinted bool // the client is told why nothing was found
}

// Content returns suggestions for a pattern without matches.
func (m matched) Content() []mcp.Content {
	if !m.hinted || len(m.Rulesets) > 0 || ruleset.HasWildcard(m.Pattern) {
		return nil
	}
	return []mcp.Content{mcp.Text(fmt.Sprintf("Without * the pattern is a whole name: try '*%s*', or find_rulesets for words of texts", m.Pattern))}
}

// Text lists the rulesets whose names match.
func (m matched) Text() string {
	if len(m.Rulesets) == 0 {
		return fmt.Sprintf("No rulesets found matching pattern '%s'", m.Pattern)
	}
	return entries(fmt.Sprintf("Found %d ruleset(s) matching '%s':\n\n", len(m.Rulesets), m.Pattern), m.Rulesets)
}

func entries(head string, rulesets []summary) string {
	var b strings.Builder
	b.WriteString(head)
	for _, s := range rulesets {
		s.append(&b)
	}
	return b.String()
}

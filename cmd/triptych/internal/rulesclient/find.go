package rulesclient

import (
	"context"

	"github.com/triptych-mcp/triptych/rulesets"
)

// A Search selects rulesets. Those fields that are zero select all.
type Search struct {
	Text   string   `json:"text,omitempty"`
	Tags   []string `json:"tags,omitempty"`
	Client string   `json:"client,omitempty"`
	Label  string   `json:"label,omitempty"`
	Due    bool     `json:"due,omitempty"` // only those whose review is due
	Skip   int      `json:"skip,omitempty"`
	Limit  int      `json:"limit,omitempty"`
}

// A Finding holds the rulesets that a search has found.
type Finding struct {
	Total    int          `json:"total"`
	Rulesets []FoundEntry `json:"rulesets"`
	// Details belong to the rulesets, in their order; servers of others have none.
	Details []rulesets.FoundDetails `json:"details"`
	Months  map[string]int          `json:"months"`
	Tags    []struct {
		Tag   string `json:"tag"`
		Count int    `json:"count"`
	} `json:"tags"`
}

// A FoundEntry is a ruleset that was found, with the line that fits best.
type FoundEntry struct {
	wireMeta
	Line    int    `json:"line"`
	Snippet string `json:"snippet"`
}

// Find returns rulesets with what people want to know of them in a list.
func (c *Client) Find(ctx context.Context, s Search) (Finding, error) {
	var answer Finding
	_, err := c.call(ctx, "find_rulesets", struct {
		Search
		Details bool `json:"details"`
	}{s, true}, &answer)
	for len(answer.Details) < len(answer.Rulesets) {
		answer.Details = append(answer.Details, rulesets.FoundDetails{})
	}
	return answer, err
}

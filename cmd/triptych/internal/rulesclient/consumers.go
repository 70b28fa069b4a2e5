package rulesclient

import (
	"context"

	"github.com/triptych-mcp/triptych/rulesets/consumers"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A Report says which revisions a project has.
type Report struct {
	Project  string   `json:"project"`
	Clients  []string `json:"clients"`
	Rulesets []string `json:"rulesets"`        // each NAME@REVISION
	Label    string   `json:"label,omitempty"` // of the revisions that it pulls
}

// Report makes a report to the server.
func (c *Client) Report(ctx context.Context, r Report) error {
	var answer struct{}
	_, err := c.call(ctx, "report_rulesets", r, &answer)
	return err
}

// Consumers returns who has which revision of a ruleset, of all for "". It takes the scope rulesets:admin.
func (c *Client) Consumers(ctx context.Context, name ruleset.Name, behind bool) ([]consumers.Standing, error) {
	var answer struct {
		Consumers []consumers.Standing `json:"consumers"`
	}
	args := map[string]any{"behind": behind}
	addText(args, "ruleset", string(name))
	_, err := c.call(ctx, "ruleset_consumers", args, &answer)
	return answer.Consumers, err
}

package rulesclient

import (
	"context"

	"github.com/triptych-mcp/triptych/rulesets/consumers"
)

// Report tells the server which revisions a project has, each NAME@REVISION, for some
// clients.
func (c *Client) Report(ctx context.Context, project string, clients, rulesets []string) error {
	var answer struct{}
	_, err := c.call(ctx, "report_rulesets", map[string]any{"project": project, "clients": clients, "rulesets": rulesets}, &answer)
	return err
}

// Consumers returns who has which revision. It takes the scope rulesets:admin.
func (c *Client) Consumers(ctx context.Context, behind bool) ([]consumers.Standing, error) {
	var answer struct {
		Consumers []consumers.Standing `json:"consumers"`
	}
	_, err := c.call(ctx, "ruleset_consumers", map[string]any{"behind": behind}, &answer)
	return answer.Consumers, err
}

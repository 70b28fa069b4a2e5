package layered

import (
	"context"
	"path"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Problems implements [ruleset.Inspector]: it lists those of the stores that are folders, each
// file below the name of its store.
func (s *Store) Problems(ctx context.Context) (all []ruleset.Problem, err error) {
	for _, p := range s.parts {
		inspector, ok := ruleset.As[ruleset.Inspector](p.Store)
		if !ok {
			continue
		}
		problems, err := inspector.Problems(ctx)
		if err != nil {
			return nil, err
		}
		for _, problem := range problems {
			problem.File = path.Join(p.Name, problem.File)
			all = append(all, problem)
		}
	}
	return all, nil
}

package rulesetscmd

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

func (a commands) rulesetsLabel() command.Command {
	var message string
	var remove, admin bool
	return command.Command{
		Name: "label", Args: "NAME LABEL [REV]", Min: 2, Max: 3,
		Short:   "move a label to a revision of a ruleset, the newest one without REV",
		Example: "triptych rulesets label go_style production\ntriptych rulesets label go_style production 3 -m 'roll back'",
		Flags: func(set *pflag.FlagSet) {
			set.BoolVar(&remove, "remove", false, "take the label away")
			adminFlag(set, &admin)
			messageFlag(set, &message)
			a.writingFlags(set)
		},
		Complete: a.completeRulesets,
		Run: func(ctx context.Context, args []string) error {
			move, err := a.labelMove(args[1], admin)
			if err != nil {
				return err
			}
			move.By, move.Newest = byCommand(message), len(args) < 3 && !remove
			if len(args) > 2 && !remove {
				if move.To, err = strconv.Atoi(args[2]); err != nil || move.To < 1 {
					return cmderr.UsageErrorf("%q is not the number of a revision", args[2])
				}
			}
			name, err := ruleset.ParseName(args[0])
			if err != nil {
				return storeHint(err)
			}
			return a.withRulebook(ctx, func(book rulebook) error {
				moved, err := book.MoveLabel(ctx, name, move)
				if err != nil {
					return err
				}
				return printMove(a.IO, args[0], moved)
			})
		},
	}
}

// adminFlag registers --admin.
func adminFlag(set *pflag.FlagSet, admin *bool) {
	set.BoolVar(admin, "admin", false, "move labels of --protected-labels too")
}

// labelRules are the rules for labels of the flags and the environment.
func (b books) labelRules() rulesets.LabelRules {
	return b.app.RulesetsConfig().Rules(b.app.Getenv)
}

// labelMove begins the move of a label as the rules have it.
func (b books) labelMove(word string, admin bool) (ruleset.LabelMove, error) {
	move, err := b.labelRules().Move(word, admin)
	if _, protected := errors.AsType[*rulesets.ProtectedLabelError](err); protected {
		return move, cmderr.WithHints(fmt.Errorf("the label '%s' is protected", word), "give --admin to move it all the same")
	}
	if err != nil {
		return move, cmderr.UsageErrorf("%v", err)
	}
	return move, nil
}

func printMove(out *cmdio.IO, name string, m ruleset.LabelMove) error {
	switch {
	case m.To == 0:
		return out.Printf("removed %s from revision %d of %s\n", m.Label, m.From, name)
	case m.From == 0:
		return out.Printf("%s of %s is at revision %d\n", m.Label, name, m.To)
	}
	return out.Printf("moved %s of %s from revision %d to %d\n", m.Label, name, m.From, m.To)
}

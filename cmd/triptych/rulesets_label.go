package main

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

func (a *app) rulesetsLabel() command {
	var message string
	var remove bool
	return command{
		name: "label", args: "NAME LABEL [REV]", min: 2, max: 3,
		short:   "move a label to a revision of a ruleset, the newest one without REV",
		example: "triptych rulesets label go_style production\ntriptych rulesets label go_style production 3 -m 'roll back'",
		flags: func(set *pflag.FlagSet) {
			set.BoolVar(&remove, "remove", false, "take the label away")
			messageFlag(set, &message)
			a.rulebookFlags(set)
		},
		complete: a.completeRulesets,
		run: func(ctx context.Context, args []string) error {
			label, err := ruleset.ParseLabel(args[1])
			if err != nil {
				return misused("%v", err)
			}
			history, err := a.history(ctx, args[0])
			if err != nil {
				return err
			}
			to := history[0].Number
			if len(args) > 2 {
				if to, err = parseRev(args[2], to); err != nil {
					return err
				}
			}
			if remove {
				to = 0
			}
			return a.withRulebook(ctx, func(book rulebook) error {
				move := ruleset.LabelMove{Label: label, To: to, By: byCommand(message), Once: a.family("rulesets").config.(*rulesets.Config).IsImmutable(label)}
				moved, err := book.MoveLabel(ctx, ruleset.Name(args[0]), move)
				if err != nil {
					return err
				}
				return a.printMove(args[0], moved)
			})
		},
	}
}

func (a *app) printMove(name string, m ruleset.LabelMove) error {
	switch {
	case m.To == 0:
		return a.printf("removed %s from revision %d of %s\n", m.Label, m.From, name)
	case m.From == 0:
		return a.printf("%s of %s is at revision %d\n", m.Label, name, m.To)
	}
	return a.printf("moved %s of %s from revision %d to %d\n", m.Label, name, m.From, m.To)
}

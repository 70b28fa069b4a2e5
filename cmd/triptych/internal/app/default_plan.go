package app

import (
	"slices"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/configfile"
	"github.com/triptych-mcp/triptych/transport/quota"
)

// defaultPlanFlag is the flag of triptych serve, and the key of its configuration file, that
// names the plan of new keys.
const defaultPlanFlag = "default-plan"

// DefaultPlan returns the plan of a key that is made without one: that of the flag, of
// TRIPTYCH_DEFAULT_PLAN, or of the configuration file, in this order. Otherwise a key has no
// limits: plans are for those who sell requests.
func (a *App) DefaultPlan(flag string) (quota.Plan, error) {
	for _, named := range []struct{ where, text string }{
		{"--" + defaultPlanFlag, flag},
		{"TRIPTYCH_DEFAULT_PLAN", a.Getenv("TRIPTYCH_DEFAULT_PLAN")},
		{defaultPlanFlag + " of " + a.configPath(), a.Configured(defaultPlanFlag)},
	} {
		if named.text == "" {
			continue
		}
		plan, err := quota.ParsePlan(named.text)
		if err != nil {
			return "", cmderr.UsageErrorf("%s: %v", named.where, err)
		}
		return plan, nil
	}
	return quota.Enterprise, nil
}

// Configured returns the first value of a flag of triptych serve in the configuration file, "" for
// none. A file that is not valid is refused by the server that it is for.
func (a *App) Configured(flag string) string {
	file := a.configPath()
	if file == "" {
		return ""
	}
	settings, err := configfile.Read(file)
	i := slices.IndexFunc(settings, func(s configfile.Setting) bool { return s.Flag == flag })
	if err != nil || i < 0 || len(settings[i].Values) == 0 {
		return ""
	}
	return settings[i].Values[0]
}

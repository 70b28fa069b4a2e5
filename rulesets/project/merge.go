package project

import (
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/editors"
	"github.com/triptych-mcp/triptych/rulesets/merge"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// An edit is a changed rule.
type edit struct {
	base   ruleset.Ruleset // the ruleset that the files were written from
	old    editors.Rule    // the same as a rule
	merged editors.Rule    // old with the changes of all files
	file   string          // the file of the last change
}

// merge adds the changes of a file. Changes of one property contradict each other,
// unless they are equal or of different lines of the text.
func (e *edit) merge(r editors.Rule, file string) error {
	if property := mergeRule(e.old, &e.merged, r); property != "" {
		return fmt.Errorf("%s and %s: ruleset '%s' was changed in both, not in the same way (%s)", e.file, file, r.Name, property)
	}
	if !reflect.DeepEqual(e.old, e.merged) {
		e.file = file
	}
	return nil
}

// onto returns the rule of a newer revision with the changes of the files.
func (e *edit) onto(newer editors.Rule) (editors.Rule, error) {
	if property := mergeRule(e.old, &newer, e.merged); property != "" {
		return newer, fmt.Errorf("both changed the same (%s)", property)
	}
	return newer, nil
}

// mergeRule makes the changes from old to fresh in merged, which was made of old, too.
// It returns the name of a property that was changed in both in different ways, ""
// if there is none.
func mergeRule(old editors.Rule, merged *editors.Rule, fresh editors.Rule) (property string) {
	was, is, now := reflect.ValueOf(old), reflect.ValueOf(merged).Elem(), reflect.ValueOf(fresh)
	for i := range was.NumField() {
		name := was.Type().Field(i).Name
		before, here, change := was.Field(i).Interface(), is.Field(i).Interface(), now.Field(i).Interface()
		ok := true
		switch {
		case name == "Own":
			merged.Own, ok = mergeOwn(old.Own, merged.Own, fresh.Own)
		case reflect.DeepEqual(before, change), reflect.DeepEqual(here, change):
		case reflect.DeepEqual(before, here):
			is.Field(i).Set(now.Field(i))
		case name == "Body":
			merged.Body, ok = merge.Text(old.Body, merged.Body, fresh.Body)
		default:
			ok = false
		}
		if !ok {
			return strings.ToLower(name)
		}
	}
	return ""
}

// mergeOwn merges the properties that concern one client each.
func mergeOwn(old, merged, fresh map[string]editors.Own) (map[string]editors.Own, bool) {
	all := maps.Clone(merged)
	if all == nil {
		all = map[string]editors.Own{}
	}
	clients := maps.Clone(old)
	if clients == nil {
		clients = map[string]editors.Own{}
	}
	maps.Copy(clients, fresh)
	for client := range clients {
		was, had := old[client]
		is, has := merged[client]
		now, kept := fresh[client]
		switch {
		case had == kept && was == now, has == kept && is == now:
		case had != has || was != is:
			return merged, false
		case kept:
			all[client] = now
		default:
			delete(all, client)
		}
	}
	if len(all) == 0 {
		all = nil
	}
	return all, true
}

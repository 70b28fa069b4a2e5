package main

import (
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
)

// settingsDocument is the table of settings.
func settingsDocument(*testing.T) string {
	var d document
	d.line("# Settings\n")
	d.line("Flags that several commands read, or that few people need. A flag wins over its environment")
	d.line("variable, and that over the key of the same name in the YAML file of `--config`. A command refuses")
	d.line("a setting that it does not read. `triptych help settings COMMAND` prints those of one command.\n")
	d.line(generated)
	for _, group := range command.ByGroup(command.Settings(root(app.New()))) {
		d.line("## %s%s\n", strings.ToUpper(group.Name[:1]), group.Name[1:])
		d.line("Read by %s, unless something else is said.\n", strings.Join(group.Commands, "; "))
		var rows [][]string
		for _, s := range group.Settings {
			given := s.Default
			s.Default = ""
			rows = append(rows, []string{code(s.Spelling()), code(strings.Join(s.Variables, ", ")), cell(s.Explanation()), cell(given)})
		}
		d.table([]string{"flag", "variable", "meaning", "default"}, rows)
	}
	d.line("## Other variables\n")
	var rows [][]string
	for _, it := range command.OtherVariables {
		rows = append(rows, []string{code(it.Term), cell(it.Text)})
	}
	d.table([]string{"variable", "meaning"}, rows)
	return strings.TrimSuffix(d.String(), "\n")
}

package setupcmd

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/clients"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
)

// ConfigCommand returns the row of triptych config.
func ConfigCommand(a *app.App) command.Command { return newCommands(a).configCommand() }

func (a commands) configCommand() command.Command {
	var c configRun
	return command.Command{
		Name: "config", Args: "CLIENT", Min: 0, Max: 1,
		Short: "print or write the configuration of an editor or assistant",
		Long: "Clients: " + strings.Join(clients.Names(), ", ") + ".\n\n" +
			"With --write the entry is merged into the client's own file; everything else\n" +
			"in that file stays as it is. Flags such as --data and --families become part\n" +
			"of the entry. Without --families it serves rulesets alone, the smallest list\n" +
			"of tools; with --write on a terminal you are asked.\n\n" +
			"With --url the client connects to a server instead of starting a program. The\n" +
			"key is not written: the client reads it from the environment variable of\n" +
			"--key-env. With --invite the client connects to the server of a link that you got;\n" +
			"the link is used up, and your key is printed, this once. Without a client the known\n" +
			"ones are listed with their files.",
		Example: "triptych config vscode\ntriptych config claude-desktop --write\ntriptych config cursor --write --scope user --families aoc\n" +
			"triptych config claude-code --write --url https://rules.example.com --key-env TRIPTYCH_KEY\n" +
			"triptych config cursor --write --invite https://rules.example.com/invite/kdb_join_…",
		Flags: func(set *pflag.FlagSet) {
			set.BoolVar(&c.write, "write", false, "merge it into the client's file")
			set.StringVar(&c.scope, "scope", "", "the `scope` of the file: project (this folder) or user")
			command.Offer(set, "scope", []string{"project", "user"})
			set.StringVar(&c.name, "name", "triptych", "the `name` of the entry")
			set.StringVar(&c.url, "url", "", "connect to the server at this `url`, such as https://rules.example.com/mcp")
			set.StringVar(&c.keyEnv, "key-env", "TRIPTYCH_KEY", "read the key for --url from this environment `variable`")
			set.StringVar(&c.invite, "invite", "", "connect to the server of this `link`, which works once, and print the key that it is for")
			set.StringVar(&a.app.Flags.Remote.CACert, "cacert", "", "say how the client trusts the certificates in this PEM `file`, and trust them with --invite")
			a.app.ServerFlags(set)
			c.flags = set
		},
		Complete: func(context.Context, []string) []string { return clients.Names() },
		Run: func(ctx context.Context, args []string) error {
			if len(args) == 0 {
				return a.listClients(clients.Scope(c.scope))
			}
			return a.configure(ctx, args[0], c)
		},
	}
}

// A configRun holds the flags of config.
type configRun struct {
	write               bool
	scope, name         string
	url, keyEnv, invite string
	flags               *pflag.FlagSet
}

func (a commands) configure(ctx context.Context, name string, c configRun) error {
	client, err := clients.Find(name)
	if err != nil {
		return cmderr.UsageErrorf("%v", err)
	}
	where, err := a.where()
	if err != nil {
		return err
	}
	scope := cmp.Or(clients.Scope(c.scope), client.Scopes()[0])
	path, err := client.Path(scope, where)
	if err != nil {
		return cmderr.UsageErrorf("%v", err)
	}
	if c.invite != "" {
		if c.url, err = serverOfLink(c); err != nil {
			return err
		}
	}
	entry, err := a.entry(c, scope)
	if err != nil {
		return err
	}
	if c.url != "" {
		defer remoteHints(a.IO, client, entry, a.app.Flags.Remote.CACert)
	}
	if c.invite != "" {
		if err := a.useLink(ctx, c, client, path, entry); err != nil {
			return err
		}
	}
	if c.write {
		return writeConfig(a.IO, client, path, entry)
	}
	fmt.Fprintf(a.Err, "triptych: for %s; --write merges it\n", path)
	return a.Printf("%s", client.Render(entry))
}

// remoteHints says what a client needs besides its file to reach a server.
func remoteHints(out *cmdio.IO, client clients.Client, entry clients.Entry, cacert string) {
	fmt.Fprintf(out.Err, "triptych: hint: %s\n", client.KeyHint(entry))
	if cacert != "" {
		fmt.Fprintf(out.Err, "triptych: hint: %s\n", client.TrustHint(absolute(cacert)))
	}
}

// entry starts this program with the flags that were given, or reaches the
// server of --url.
func (a commands) entry(c configRun, scope clients.Scope) (clients.Entry, error) {
	if c.url != "" {
		return remoteEntry(c)
	}
	self, err := selfPath()
	if err != nil {
		return clients.Entry{}, err
	}
	args, err := a.entryArgs(c)
	return clients.Entry{Name: c.name, Command: shared(self, scope), Args: args}, err
}

// variableName matches the names of environment variables that every system takes.
var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func remoteEntry(c configRun) (clients.Entry, error) {
	u, err := app.EndpointURL(c.url)
	if err != nil {
		return clients.Entry{}, err
	}
	if args := serverArgs(c.flags); len(args) > 1 {
		return clients.Entry{}, cmderr.WithHints(cmderr.UsageErrorf("%s does not apply to a server with --url", args[1]), "limit the key instead: triptych key create --help")
	}
	if !variableName.MatchString(c.keyEnv) {
		return clients.Entry{}, cmderr.WithHints(cmderr.UsageErrorf("--key-env is %q, want the name of an environment variable", c.keyEnv), "the key itself does not belong into the file")
	}
	return clients.Entry{Name: c.name, URL: u.String(), KeyEnv: c.keyEnv}, nil
}

// entryArgs returns the arguments of the server. An entry for which nothing was
// chosen gets rulesets: each tool that is listed costs the model's context.
func (a commands) entryArgs(c configRun) ([]string, error) {
	if !c.flags.Changed("toolsets") && !c.flags.Changed("tools") && !c.flags.Changed("families") {
		families, err := a.askFamilies(c.write, "rulesets")
		if err != nil {
			return nil, err
		}
		if err := c.flags.Set("families", families); err != nil {
			return nil, err
		}
	}
	_, err := a.app.ChosenFamilies()
	return serverArgs(c.flags), err
}

// askFamilies asks a person at a terminal who is about to write a file.
func (a commands) askFamilies(write bool, fallback string) (string, error) {
	if !write || !cmdio.IsTerminal(a.In) {
		return fallback, nil
	}
	fmt.Fprintf(a.Err, "Families, of %s, separated by commas [%s]: ", strings.Join(a.app.FamilyNames(), ", "), fallback)
	line, err := bufio.NewReader(a.In).ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("reading the families: %w", err)
	}
	return cmp.Or(strings.ReplaceAll(strings.TrimSpace(line), " ", ""), fallback), nil
}

// shared returns the command that starts this program. A project's file is read by
// colleagues, whose program may be elsewhere: it gets the name where PATH has it.
func shared(self string, scope clients.Scope) string {
	name := strings.TrimSuffix(filepath.Base(self), ".exe")
	found, err := exec.LookPath(name)
	if scope != clients.Project || err != nil {
		return self
	}
	if real, err := filepath.EvalSymlinks(found); err != nil || real != self {
		return self
	}
	return name
}

// absolute is a path that means the same wherever the client starts us.
func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

// selfPath is the real path of this program.
func selfPath() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding this program: %w", err)
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	return self, nil
}

func writeConfig(out *cmdio.IO, client clients.Client, path string, entry clients.Entry) error {
	changed, err := clients.Edit(path, func(old []byte) ([]byte, error) { return client.Merge(old, entry) })
	if err != nil {
		return cmderr.WithHints(fmt.Errorf("%w; the file is as it was", err), "add this by hand:\n"+string(client.Render(entry)))
	}
	if !changed {
		return out.Printf("%s is up to date\n", path)
	}
	fmt.Fprintf(out.Err, "triptych: hint: %s\n", client.After)
	return out.Printf("wrote %s\n", path)
}

// listClients shows the known clients and where their files are.
func (a commands) listClients(scope clients.Scope) error {
	where, err := a.where()
	if err != nil {
		return err
	}
	rows := [][]string{{"CLIENT", "SCOPE", "FILE", "CONFIGURED"}}
	for _, c := range clients.All() {
		for _, s := range c.Scopes() {
			path, err := c.Path(s, where)
			if err != nil || scope != "" && s != scope {
				continue
			}
			rows = append(rows, []string{c.Name, string(s), path, configured(c, path)})
		}
	}
	return a.PrintTable(rows)
}

// configured returns the word for a client's file in the table of clients: yes if it has
// an entry for triptych.
func configured(c clients.Client, path string) string {
	text, err := clients.Read(path)
	if err != nil {
		return "unreadable"
	}
	command, err := c.Command(text, "triptych")
	if err != nil {
		return "invalid file"
	}
	if url, _ := c.URL(text, "triptych"); command+url == "" {
		return "no"
	}
	return "yes"
}

// where says where client configurations are looked for.
func (a commands) where() (clients.Where, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return clients.Where{}, err
	}
	dir, err := os.Getwd()
	return clients.Where{GOOS: runtime.GOOS, Home: home, Dir: dir, Getenv: a.app.Getenv}, err
}

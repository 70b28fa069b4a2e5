package setupcmd

import (
	"context"
	"errors"
	"fmt"
	"github.com/triptych-mcp/triptych/rulesets"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/jsonrpc"
)

// spawnAndList starts this program as an editor would, shakes hands, lists the
// tools and lets it end. It returns how many tools there are.
func spawnAndList(ctx context.Context, set *pflag.FlagSet) (tools int, err error) {
	self, err := selfPath()
	if err != nil {
		return 0, err
	}
	var stderr strings.Builder
	cmd := exec.CommandContext(ctx, self)
	cmd.Args = append([]string{os.Args[0]}, serverArgs(set)...)
	cmd.Stderr = &stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	rpc := jsonrpc.NewClient(out, in, jsonrpc.ClientConfig{})
	c := &app.Conversation{Client: app.NewClient(rpc)}
	list, err := c.InitializeAndListTools(ctx)
	_ = in.Close() // it may be gone already; Wait says how it ended
	rpc.Close()
	err = errors.Join(err, cmd.Wait())
	if err != nil && stderr.Len() > 0 {
		err = fmt.Errorf("%w; it said: %s", err, strings.TrimSpace(stderr.String()))
	}
	return len(list), err
}

// serverArgs returns the arguments that start a server with the flags that were
// given to this command, as far as servers have them.
func serverArgs(set *pflag.FlagSet) []string {
	known := pflag.NewFlagSet("", pflag.ContinueOnError)
	app.New().ServerFlags(known)
	args := []string{"stdio"}
	set.Visit(func(f *pflag.Flag) {
		if known.Lookup(f.Name) == nil {
			return
		}
		for _, value := range givenValues(f) {
			if f.NoOptDefVal != "" { // --read-only false would be a flag and an argument
				args = append(args, "--"+f.Name+"="+value)
				continue
			}
			args = append(args, "--"+f.Name, value)
		}
	})
	return args
}

// absolutePlace is a store that means the same in any folder.
func absolutePlace(text string) string {
	place, err := rulesets.ParsePlace(text)
	if err != nil || strings.Contains(place.URL, ":") {
		return text
	}
	return strings.TrimSuffix(text, place.URL) + absolute(place.URL)
}

// givenValues returns the values of a flag, more than one where it may be given
// several times. What a value is stands in the flag's usage, in backquotes: folders
// become absolute, because the server may be started elsewhere, and a list stays one
// value.
func givenValues(f *pflag.Flag) []string {
	values := []string{f.Value.String()}
	list, several := f.Value.(pflag.SliceValue)
	if several {
		values = list.GetSlice()
	}
	switch kind, _ := pflag.UnquoteUsage(f); {
	case kind == "folder":
		for i := range values {
			values[i] = absolute(values[i])
		}
	case kind == "url":
		for i := range values {
			values[i] = absolutePlace(values[i])
		}
	case kind == "list" && several:
		return []string{strings.Join(values, ",")}
	}
	return values
}

package debugcmd

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/term"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/toolcmd"
	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/jsonrpc"
)

// debugTools are two tools as a server lists them.
func debugTools(t *testing.T) *debugShell {
	t.Helper()
	s := &debugShell{IO: new(cmdio.IO)}
	for name, schema := range map[string]string{
		"step_line": `{"properties":{"wait_ms":{"type":"integer"}}}`, "step_over": `{"properties":{"wait_ms":{"type":"integer"}}}`,
		"set_breakpoint":   `{"properties":{"function":{"type":"string"},"condition":{"type":"string"},"line":{"type":"integer"}}}`,
		"clear_breakpoint": `{"properties":{"ids":{"type":"array"}}}`, "evaluate": `{"properties":{"expression":{"type":"string"},"frame":{"type":"integer"}}}`,
	} {
		tool, err := newDebugTool(name, app.ToolInfo{Name: "debugger/" + name, InputSchema: json.RawMessage(schema)})
		if err != nil {
			t.Fatal(err)
		}
		s.tools = append(s.tools, tool)
	}
	return s
}

// What follows a command is its main argument, or arguments by name.
func TestDebugArguments(t *testing.T) {
	s := debugTools(t)
	for _, tt := range []struct {
		tool, rest string
		want       []toolcmd.NamedText
	}{
		{"evaluate", "p->next == q", []toolcmd.NamedText{{Name: "expression", Value: "p->next == q"}}},
		{"evaluate", "expression == 1", []toolcmd.NamedText{{Name: "expression", Value: "expression == 1"}}}, // a comparison
		{"evaluate", "frame==1", []toolcmd.NamedText{{Name: "expression", Value: "frame==1"}}},
		{"evaluate", `expression="a b\"c\"" frame=2`, []toolcmd.NamedText{{Name: "expression", Value: `a b"c"`}, {Name: "frame", Value: "2"}}},
		{"set_breakpoint", "main", []toolcmd.NamedText{{Name: "function", Value: "main"}}},
		{"set_breakpoint", "a::b", []toolcmd.NamedText{{Name: "function", Value: "a::b"}}},
		{"set_breakpoint", "src/a.c:12", []toolcmd.NamedText{{Name: "file", Value: "src/a.c"}, {Name: "line", Value: "12"}}},
		{"set_breakpoint", "0x401000", []toolcmd.NamedText{{Name: "address", Value: "0x401000"}}},
		{"set_breakpoint", "function=main condition=x==1", []toolcmd.NamedText{{Name: "function", Value: "main"}, {Name: "condition", Value: "x==1"}}},
		{"clear_breakpoint", "all", []toolcmd.NamedText{{Name: "all", Value: "true"}}},
	} {
		tool, err := s.find(tt.tool)
		if err != nil {
			t.Fatal(err)
		}
		given, err := s.debugArguments(tool, tt.rest)
		if err != nil || !reflect.DeepEqual(given.Texts, tt.want) {
			t.Errorf("%s %s: %+v, %v, want %+v", tt.tool, tt.rest, given.Texts, err, tt.want)
		}
	}
	tool, _ := s.find("clear_breakpoint")
	if given, err := s.debugArguments(tool, "1  3"); err != nil || string(given.JSON) != `{"ids":[1,3]}` {
		t.Errorf("%s, %v", given.JSON, err)
	}
	for _, wrong := range []string{"one", `ids="1`} {
		if _, err := s.debugArguments(tool, wrong); err == nil {
			t.Errorf("%s is taken", wrong)
		}
	}
}

// The tab key completes commands and the names of their arguments.
func TestDebugCompletion(t *testing.T) {
	s := debugTools(t)
	for line, want := range map[string]string{
		"ev": "aluate ", "st": "ep_", "step_o": "ver ", "q": "uit", "zzz": "", "evaluate exp": "ression=", "evaluate frame=1 e": "xpression=", "help ev": "aluate ",
	} {
		candidates := s.complete(line)
		slices.Sort(candidates)
		if got := completion(line, candidates); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// Each command is in one topic of the help, and no topic has one that is not there.
func TestDebugTopics(t *testing.T) {
	var listed, all []string
	for _, topic := range topics {
		listed = append(listed, topic.tools...)
	}
	for _, tool := range new(debugger.Config).Tools() {
		if name, ours := strings.CutPrefix(tool.Name, debugPrefixes[0]); ours {
			all = append(all, name)
		}
	}
	slices.Sort(listed)
	slices.Sort(all)
	if !slices.Equal(listed, all) {
		t.Errorf("the topics have %q, the commands are %q", listed, all)
	}
}

// Ctrl-C clears the line that is typed, and the shell goes on.
func TestCtrlCClearsTheLine(t *testing.T) {
	typed := "evalu" + string(rune(ctrlC)) + "help\rquit\r"
	lines := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{&clearing{in: strings.NewReader(typed)}, io.Discard}, "> ")
	for _, want := range []string{"help", "quit"} {
		if got, err := lines.ReadLine(); got != want || err != nil {
			t.Errorf("the line is %q, %v, want %q", got, err, want)
		}
	}
}

// typing is a terminal at which a line is typed after Ctrl-C was pressed.
type typing struct{ line chan string }

func (l typing) readLine() (string, error) { return <-l.line, nil }
func (typing) restore()                    {}
func (typing) interrupted() bool           { return true }

// A signal of Ctrl-C that comes too late, when the program has stopped, does not end the shell.
func TestLateInterrupt(t *testing.T) {
	signals, line := make(chan os.Signal), make(chan string)
	s := debugTools(t)
	s.signals = signals
	go func() {
		signals <- os.Interrupt
		line <- "continue"
	}()
	if got, err := s.read(typing{line}); got != "continue" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	go func() { signals <- syscall.SIGTERM }()
	if _, err := s.read(typing{line}); !errors.Is(err, io.EOF) {
		t.Errorf("after SIGTERM: %v", err)
	}
}

// A signal that comes while a process is launched, or a recording checked, ends the shell:
// there is nothing to pause yet.
func TestInterruptedStart(t *testing.T) {
	requests, toServer := io.Pipe()
	answers, toClient := io.Pipe()
	client := jsonrpc.NewClient(answers, toServer, jsonrpc.ClientConfig{})
	signals := make(chan os.Signal, 1)
	go func() {
		in := bufio.NewScanner(requests)
		for in.Scan() {
			if strings.Contains(in.Text(), "pause") {
				t.Error("a program is paused before there is one")
			}
			signals <- os.Interrupt
		}
	}()
	s := debugTools(t)
	s.conversation, s.signals = &app.Conversation{Client: app.NewClient(client)}, signals
	if _, err := s.await(t.Context(), "step_line", map[string]any{}); !errors.Is(err, errInterrupted) {
		t.Errorf("%v, want %v", err, errInterrupted)
	}
	_ = toClient.Close() // a pipe's never fails
	_ = requests.Close() // nor this
	client.Close()
}

package debugger

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/worktime"
	"github.com/triptych-mcp/triptych/debugger/internal/program/debuginfod"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/controltools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// Live configures what may be done with live processes.
type Live struct {
	// Attach are rules for the processes that may be attached to: own, any,
	// none, user:NAME, exe:GLOB, pid:NUMBER. Nil means own.
	Attach []string
	// NoLaunch forbids to launch programs, NoWrite to change memory.
	NoLaunch, NoWrite bool
	// AllowCalls lets expressions of evaluate call functions of the process, for
	// callers with the scope debug:write.
	AllowCalls bool
	// MaskSecrets is on if what looks like a secret is masked in answers, off if
	// not, or auto, which is on if Remote is set. Empty means auto.
	MaskSecrets string
	// Remote says that clients may be on other machines.
	Remote bool
	// Idle is the time without a call after which a session ends; 0 means half
	// an hour. MaxStop is the time after which a stopped process runs on by
	// itself; 0 means never.
	Idle, MaxStop time.Duration
	// Sessions limits the sessions of one client; 0 means 8.
	Sessions int
	// History limits the records of the history of a process, in MiB; 0 means
	// 256.
	History int
	// HistoryFile lets the recordings of a process take so many MiB in a file in the data
	// folder, and not in memory; 0 means that clients choose a file.
	HistoryFile int
	// SearchTime limits the time for which a call replays and searches, SearchHour that of
	// all calls of a key in an hour. 0 means a minute and 20 minutes if Remote is set, else
	// 10 minutes and no limit.
	SearchTime, SearchHour time.Duration
	// NoTranslate makes continue with record interpret each instruction, also where the
	// program could be recorded by translation in place.
	NoTranslate bool
	// Debuginfod lets the servers that DEBUGINFOD_URLS names be asked for the debug
	// information of programs, by their build ids.
	Debuginfod bool
}

// Defaults and limits.
const (
	defaultIdle     = 30 * time.Minute
	defaultSessions = 8
)

func (c *Live) registerFlags(set *pflag.FlagSet) {
	set.StringSliceVar(&c.Attach, "attach", nil, "let the debugger attach to processes by these `rules` (TRIPTYCH_ATTACH)\ndefault: own\nThey are own, any, none, user:NAME, exe:GLOB and pid:NUMBER, separated by commas.")
	set.BoolVar(&c.NoLaunch, "no-launch", false, "do not let the debugger start programs (TRIPTYCH_NO_LAUNCH)")
	set.BoolVar(&c.NoWrite, "no-write", false, "do not let the debugger write into a process's memory (TRIPTYCH_NO_WRITE)")
	set.BoolVar(&c.AllowCalls, "allow-calls", false, "let debugger/evaluate call functions of a stopped process (TRIPTYCH_ALLOW_CALLS)\nOver HTTPS that takes a key with the scope debug:write.")
	set.StringVar(&c.MaskSecrets, "mask-secrets", maskAuto, "mask what looks like a secret in the debugger's answers: `on|off|auto` (TRIPTYCH_MASK_SECRETS)\nWith auto secrets are masked over HTTPS.")
	set.IntVar(&c.History, "history-memory", defaultHistory, "let the history of a process take so many `MiB` (TRIPTYCH_HISTORY_MEMORY)")
	set.IntVar(&c.HistoryFile, "history-file", 0, "hold recordings in a file in the data folder of at most so many `MiB` (TRIPTYCH_HISTORY_FILE)\ndefault: in memory\nA client can choose a file all the same.")
	set.DurationVar(&c.SearchTime, "search-time", 0, "let a call replay and search for at most this `duration` (TRIPTYCH_SEARCH_TIME)\ndefault: 1m over HTTPS, else 10m")
	set.DurationVar(&c.SearchHour, "search-hour", 0, "let the calls of a key replay and search for at most this `duration` in an hour (TRIPTYCH_SEARCH_HOUR)\ndefault: 20m over HTTPS, else no limit")
	set.BoolVar(&c.NoTranslate, "no-translate", false, "record instruction by instruction, which is slow, and not by translation in place (TRIPTYCH_NO_TRANSLATE)")
	set.BoolVar(&c.Debuginfod, "debuginfod", false, "ask servers for missing debug information by build id (TRIPTYCH_DEBUGINFOD)\nDEBUGINFOD_URLS names the servers.")
	set.DurationVar(&c.Idle, "debug-idle", defaultIdle, "end a debugging session after this `duration` without a call (TRIPTYCH_DEBUG_IDLE)\nIts process runs on.")
	set.DurationVar(&c.MaxStop, "max-stop", 0, "let a process that the debugger has stopped run on after this `duration` (TRIPTYCH_MAX_STOP)\ndefault: never")
}

// open returns the registry of sessions and the rules of --attach.
func (c *Live) open(env host.Env) (*session.Registry, controltools.Policy, error) {
	if err := c.fromEnvironment(env.Getenv); err != nil {
		return nil, nil, err
	}
	rules, err := controltools.ParsePolicy(c.Attach)
	if err != nil {
		return nil, nil, err
	}
	find, err := c.findDebug(env)
	if err != nil {
		return nil, nil, err
	}
	return session.NewRegistry(session.Config{
		Log: env.Logger, History: stepping.Budget{Memory: c.History << 20, File: c.HistoryFile << 20}, HistoryFolder: env.Data, NoTranslate: c.NoTranslate, Idle: c.Idle, MaxSessions: c.Sessions, MaxStop: c.MaxStop, Span: env.Span,
		Work:        worktime.NewAccounts(worktime.Limits{Call: c.SearchTime, Hour: c.SearchHour}),
		MaskSecrets: c.masks(), FindDebug: find,
	}), rules, nil
}

// debuginfodFolder is the folder of files from servers, below that of the user's caches.
const debuginfodFolder = "triptych/debuginfod"

// findDebug returns a function that asks the servers of DEBUGINFOD_URLS for debug
// information, nil if Debuginfod is not set: no request is made without it.
func (c *Live) findDebug(env host.Env) (func(buildID string) string, error) {
	if !c.Debuginfod && !isSet(env.Getenv("TRIPTYCH_DEBUGINFOD")) {
		return nil, nil //nolint:nilnil // a nil function asks no server
	}
	caches, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("--debuginfod needs a folder: %w", err)
	}
	client, err := debuginfod.New(env.Getenv("DEBUGINFOD_URLS"), filepath.Join(caches, debuginfodFolder), env.Logger)
	if err != nil {
		return nil, fmt.Errorf("--debuginfod: %w", err)
	}
	return client.Find, nil
}

// fromEnvironment sets what no flag has set, from variables or to the
// defaults.
func (c *Live) fromEnvironment(getenv func(string) string) error {
	if text := getenv("TRIPTYCH_ATTACH"); len(c.Attach) == 0 && text != "" {
		c.Attach = strings.Split(text, ",")
	}
	if len(c.Attach) == 0 {
		c.Attach = []string{"own"}
	}
	c.NoLaunch = c.NoLaunch || isSet(getenv("TRIPTYCH_NO_LAUNCH"))
	c.NoWrite = c.NoWrite || isSet(getenv("TRIPTYCH_NO_WRITE"))
	c.NoTranslate = c.NoTranslate || isSet(getenv("TRIPTYCH_NO_TRANSLATE"))
	c.AllowCalls = c.AllowCalls || isSet(getenv("TRIPTYCH_ALLOW_CALLS"))
	if c.AllowCalls && c.NoWrite {
		return errors.New("--allow-calls and --no-write exclude each other: a function may write anything")
	}
	if c.AllowCalls && c.NoLaunch {
		return errors.New("--allow-calls and --no-launch exclude each other: a function may start programs")
	}
	if err := c.maskSecretsFrom(getenv("TRIPTYCH_MASK_SECRETS")); err != nil {
		return err
	}
	if c.Sessions == 0 {
		c.Sessions = defaultSessions
	}
	if err := c.historyFrom(getenv("TRIPTYCH_HISTORY_MEMORY"), getenv("TRIPTYCH_HISTORY_FILE")); err != nil {
		return err
	}
	call, hour := 10*time.Minute, time.Duration(0)
	if c.Remote {
		call, hour = time.Minute, 20*time.Minute
	}
	for _, d := range []struct {
		to       *time.Duration
		variable string
		usual    time.Duration
	}{{&c.Idle, "TRIPTYCH_DEBUG_IDLE", defaultIdle}, {&c.MaxStop, "TRIPTYCH_MAX_STOP", 0}, {&c.SearchTime, "TRIPTYCH_SEARCH_TIME", call}, {&c.SearchHour, "TRIPTYCH_SEARCH_HOUR", hour}} {
		if err := duration(d.to, d.variable, getenv(d.variable), d.usual); err != nil {
			return err
		}
	}
	return nil
}

// The values of MaskSecrets.
const (
	maskAuto = "auto"
	maskOn   = "on"
	maskOff  = "off"
)

// maskSecretsFrom uses the variable unless a flag has set another value than the default.
func (c *Live) maskSecretsFrom(text string) error {
	if c.MaskSecrets == "" || c.MaskSecrets == maskAuto && text != "" {
		c.MaskSecrets = cmp.Or(text, maskAuto)
	}
	if !slices.Contains([]string{maskAuto, maskOn, maskOff}, c.MaskSecrets) {
		return fmt.Errorf("--mask-secrets is %q, want on, off or auto", c.MaskSecrets)
	}
	return nil
}

// masks reports whether secrets are masked.
func (c *Live) masks() bool {
	return c.MaskSecrets == maskOn || c.MaskSecrets != maskOff && c.Remote
}

// isSet parses a variable that is a switch.
func isSet(text string) bool { return text != "" && text != "0" && text != "false" }

// duration uses a variable unless a flag has set another value than the
// default.
func duration(to *time.Duration, variable, text string, usual time.Duration) error {
	if (*to == 0 || *to == usual) && text != "" {
		var err error
		if *to, err = time.ParseDuration(text); err != nil {
			return fmt.Errorf("%s is %q, want a duration such as 30m", variable, text)
		}
	}
	if *to < 0 {
		return fmt.Errorf("%s is negative", variable)
	}
	if *to == 0 {
		*to = usual
	}
	return nil
}

// Defaults and limits of histories, in MiB.
const (
	defaultHistory = history.DefaultBudget >> 20
	minHistory     = history.MinBudget >> 20
	maxHistory     = 1 << 16

	// maxHistoryFile is a TiB. The list of the blocks of such a file takes 256 MiB of
	// memory, as much as a history in memory.
	maxHistoryFile = 1 << 20
)

// mostHistory returns the most MiB of history in memory that a client may have: those that
// the operator has set, or any number for the one who runs the server.
func (c *Live) mostHistory() int {
	if c.Remote {
		return c.History
	}
	return maxHistory
}

// mostHistoryFile is mostHistory for a file. Without a limit of their own for files, remote
// clients may have as much as in memory.
func (c *Live) mostHistoryFile() int {
	switch {
	case !c.Remote:
		return maxHistoryFile
	case c.HistoryFile > 0:
		return c.HistoryFile
	}
	return c.History
}

// historyFrom uses the variables unless flags have set other values than the defaults.
func (c *Live) historyFrom(memory, file string) error {
	if c.History == 0 {
		c.History = defaultHistory
	}
	if err := mebibytes(&c.History, defaultHistory, "TRIPTYCH_HISTORY_MEMORY", memory); err != nil {
		return err
	}
	if err := mebibytes(&c.HistoryFile, 0, "TRIPTYCH_HISTORY_FILE", file); err != nil {
		return err
	}
	if c.History < minHistory || c.History > maxHistory {
		return fmt.Errorf("the history of a process cannot have %d MiB: %d to %d are possible", c.History, minHistory, maxHistory)
	}
	if c.HistoryFile != 0 && (c.HistoryFile < minHistory || c.HistoryFile > maxHistoryFile) {
		return fmt.Errorf("the history of a process cannot have %d MiB in a file: %d to %d are possible", c.HistoryFile, minHistory, maxHistoryFile)
	}
	return nil
}

// mebibytes uses a variable if the value is the default.
func mebibytes(to *int, usual int, variable, text string) error {
	if text == "" || *to != usual {
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("%s is %q, want a number of MiB", variable, text)
	}
	*to = n
	return nil
}

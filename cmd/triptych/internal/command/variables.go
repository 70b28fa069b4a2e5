package command

// An Item is a term and what is to say of it.
type Item struct{ Term, Text string }

// OtherVariables are the environment variables that are not those of a flag.
var OtherVariables = []Item{
	{"AOC_SESSION", "The session cookie of adventofcode.com."},
	{"TRIPTYCH_AOC_URL", "The site to use instead of https://adventofcode.com."},
	{"TRIPTYCH_WEBHOOK_SECRET", "The secret that signs the messages of --webhook."},
	{"DEBUGINFOD_URLS", "The servers that --debuginfod asks."},
	{"XDG_DATA_HOME", "The data folder is triptych in this folder by default."},
	{"VISUAL, EDITOR", "The editor of rulesets edit."},
}

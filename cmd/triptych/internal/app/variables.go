package app

// An Item is a term and what is to say of it.
type Item struct{ Term, Text string }

// OtherVariables are the environment variables that are not those of a flag.
var OtherVariables = []Item{
	{"AOC_SESSION", "The session cookie of adventofcode.com."},
	{"TRIPTYCH_AOC_URL", "The site to use instead of https://adventofcode.com."},
	{"TRIPTYCH_WEBHOOK_SECRET", "The secret that signs the messages of --webhook."},
	{"DEBUGINFOD_URLS", "The servers that --debuginfod asks."},
	{"AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN", "The credentials of audit export --to-s3."},
	{"AWS_REGION, AWS_ENDPOINT_URL, AWS_CA_BUNDLE", "Where the bucket of audit export --to-s3 is, and a file of authorities to trust."},
	{"XDG_DATA_HOME", "The data folder is triptych in this folder by default."},
	{"VISUAL, EDITOR", "The editor of rulesets edit."},
}

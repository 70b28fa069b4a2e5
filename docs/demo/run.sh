#!/bin/sh
# Shows what triptych does, on sample data in a temporary folder: a rule that an editor
# gets, a crash that is explained, a race of models.
#
#	docs/demo/run.sh [PATH OF TRIPTYCH]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
triptych=${1:-$here/../../bin/triptych}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

unset VALKEY_HOST VALKEY_PORT TRIPTYCH_FAMILIES TRIPTYCH_STORE TRIPTYCH_URL TRIPTYCH_LABEL || :
export TRIPTYCH_DATA="$tmp/data" LOG_LEVEL=warn
mkdir "$tmp/shop"
cp "$here/stray.c" "$tmp/shop"
cd "$tmp/shop"

if [ -t 1 ]; then
	bold=$(printf '\033[1m') dim=$(printf '\033[2m') plain=$(printf '\033[0m')
else
	bold='' dim='' plain=''
fi
title() { printf '\n%s# %s%s\n' "$bold" "$1" "$plain"; }
run() { # the command, then what it prints
	printf '%s$ triptych %s%s\n' "$dim" "$*" "$plain"
	"$triptych" "$@"
}

title 'A rule of the team, and the file that Cursor reads'
printf '# Go\n\n- Wrap errors with %%w.\n' >go.md
run rulesets create go_style go.md --tag go
run rulesets find 'wrapping errors'
run rulesets pull --target cursor | sed -n '1p;/go-style/p'

title 'A program crashes: which line wrote the bad value?'
if [ "$(uname -sm)" = 'Linux x86_64' ] && command -v cc >/dev/null; then
	cc -g -o stray stray.c
	printf '%s$ triptych record -- ./stray%s\n' "$dim" "$plain"
	"$triptych" record -- ./stray 2>&1 || :
	printf '%s$ echo last_write expression=shop.owner | triptych replay stray.recording%s\n' "$dim" "$plain"
	echo last_write expression=shop.owner | "$triptych" replay stray.recording |
		sed -n "s|$tmp/shop/||; /^Last write/p; /^Value/p; /^#0/p"
	sed -n '12s/^/stray.c:12 /p' stray.c
else
	echo 'The debugger of programs needs Linux on x86-64 and a C compiler.'
fi

title 'Advent of Code: who is faster?'
for run in 'gpt 1110' 'claude 980' 'gpt 1250'; do
	# shellcheck disable=SC2086 # a name and a time
	"$triptych" aoc record 1 1 $run >/dev/null
done
run aoc stats | sed '1,/^$/d'

title 'Next: connect your editor'
echo '$ bin/triptych config claude-code --write     (or cursor, vscode, codex: see --help)'

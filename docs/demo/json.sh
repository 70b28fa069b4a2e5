#!/bin/sh
# Plays a scripted session with a server over standard input and output, on
# sample data in a temporary folder, and shows both sides of it.
#
#	docs/demo/json.sh [PATH OF TRIPTYCH]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
triptych=${1:-$here/../../bin/triptych}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

unset VALKEY_HOST VALKEY_PORT TRIPTYCH_FAMILIES TRIPTYCH_TOOL_NAMES || :
export TRIPTYCH_DATA="$tmp/data" LOG_LEVEL=warn
mkdir -p "$TRIPTYCH_DATA/aoc"
cp -R "$here/instructions" "$TRIPTYCH_DATA/aoc/instructions"

if [ -t 1 ]; then
	bold=$(printf '\033[1m') dim=$(printf '\033[2m') plain=$(printf '\033[0m')
else
	bold='' dim='' plain=''
fi

# Long messages are cut: this is for reading.
show() {
	printf '%s%s %s%s\n' "$3" "$1" "$(printf '%s' "$2" | cut -c 1-600)" "$plain"
}

mkfifo "$tmp/requests" "$tmp/answers"
"$triptych" stdio <"$tmp/requests" >"$tmp/answers" &
server=$!
exec 3>"$tmp/requests" 4<"$tmp/answers"

while IFS= read -r line; do
	case $line in
	'') continue ;;
	'#'*)
		printf '\n%s%s%s\n' "$bold" "$line" "$plain"
		continue
		;;
	esac
	printf '%s\n' "$line" >&3
	show '>' "$line" "$dim"
	case $line in
	*'"id":'*) ;;
	*) continue ;; # a notification has no answer
	esac
	while IFS= read -r answer <&4; do
		show '<' "$answer" ''
		case $answer in *'"id":'*) break ;; esac # else it was a notification
	done
done <"$here/session.jsonl"

exec 3>&-
wait "$server"

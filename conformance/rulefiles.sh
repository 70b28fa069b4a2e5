#!/bin/sh
# Fetch the rule files of public projects into a folder, for
#   TRIPTYCH_TEST_RULEFILES=DIR go test -run TestPublicFiles -v ./rulesets/editors
# which imports each, writes it for every client and reads it again. They belong to
# their authors and are never committed. A mirror of github.com may be given.
set -eu
dir=${1:?usage: conformance/rulefiles.sh DIR [MIRROR]}
mirror=${2:-https://github.com}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$dir"
for repo in PatrickJS/awesome-cursorrules cline/cline dyoshikawa/rulesync; do
	name=$(echo "$repo" | tr / -)
	git clone -q --depth 1 "$mirror/$repo" "$work/$name"
	(cd "$work/$name" && find . -type f \( -path './.cursor/rules/*.mdc' -o -path './.claude/rules/*.md' \
		-o -path './.github/instructions/*.instructions.md' -o -path './.clinerules/*.md' -o -path './.kiro/steering/*.md' \) \
		-exec sh -c 'mkdir -p "$1/$(dirname "$2")" && cp "$2" "$1/$2"' sh "$(cd "$OLDPWD" && cd "$dir" && pwd)/$name" {} \;)
done
# a collection of rules of Cursor, which are not in a project's folder there
mkdir -p "$dir/collection/.cursor/rules"
find "$work/PatrickJS-awesome-cursorrules" -path '*/rules/*' -name '*.mdc' -exec cp {} "$dir/collection/.cursor/rules/" \;
find "$dir" -type f | wc -l

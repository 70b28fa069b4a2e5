#!/bin/sh
# Clones the projects of testdata/schemas.txt, bare, into the folder that is given,
# for "make conformance-xml SCHEMAS=FOLDER".
set -eu
mkdir -p "$1"
clones=$(cd "$1" && pwd)
cd "$(dirname "$0")"
grep -v '^#' testdata/schemas.txt | while read -r project commit folders; do
	clone=$clones/$(echo "$project" | tr / +)
	test -d "$clone" || git clone -q --bare "https://github.com/$project" "$clone"
	git -C "$clone" cat-file -e "$commit"
	echo "$project: $folders"
done

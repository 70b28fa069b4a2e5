#!/bin/sh
# Prints the programs of programs.txt that are not installed, or with -packages
# the Debian packages that have them.
cd "$(dirname "$0")" || exit 1
grep -v '^#' programs.txt | while read -r program package tests; do
	command -v "$program" >/dev/null && continue
	if [ "$1" = -packages ]; then
		echo "$package"
	else
		echo "skipping tests of $tests: no $program (Debian: $package)"
	fi
done

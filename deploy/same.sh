#!/bin/sh
# same.sh BIN OTHER: compares what two runs of "make snapshot" have built, byte for byte:
# archives, packages, bundles, bills of materials and checksums.
set -eu
one=$1 other=$2
status=0
compared=0
for file in "$one"/dist/*.tar.gz "$one"/dist/*.zip "$one"/dist/*.deb "$one"/dist/*.rpm "$one"/dist/*.cdx.json \
	"$one"/dist/checksums.txt "$one"/release/bundles/*.mcpb; do
	[ -f "$file" ] || { echo "same.sh: $file is missing" >&2; exit 1; }
	cmp "$file" "$other/${file#"$one"/}" || status=1
	compared=$((compared + 1))
done
[ "$status" = 0 ] && echo "$compared files are equal"
exit "$status"

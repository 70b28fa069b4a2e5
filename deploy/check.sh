#!/usr/bin/env bash
# Checks what "make snapshot" has built, as an administrator and a host would use it:
# the packages and the image are unpacked into fresh root folders and served from
# there, the units are judged by systemd's own tools, the bundle by its makers'. At the
# end it walks the way of a stranger (stranger.sh). Needs root for chroot, and dpkg,
# rpm2cpio, cpio, systemd-analyze, npm and curl.
set -euo pipefail
cd "$(dirname "$0")/.."
dist=$PWD/bin/dist
scratch=$(mktemp -d)
server=
cleanup() {
	[ -z "$server" ] || kill "$server" 2>/dev/null || true
	rm -rf "$scratch"
}
trap cleanup EXIT
step() { echo "== $*"; }
fail() { echo "release-check: $*" >&2; exit 1; }
amd64=$(uname -m)
[ "$amd64" = x86_64 ] || fail "the programs that can be started here are those for x86_64"

# serves ROOT USER COMMAND...: starts the command in the root folder as that user,
# asks it for its tools, and ends it.
serves() {
	local root=$1 user=$2 url key
	shift 2
	mkdir -p "$root/tmp" "$root/dev" "$root/var/lib/triptych"
	chmod 1777 "$root/tmp"
	chown "$user" "$root/var/lib/triptych"
	: >"$root/dev/null" && chmod 666 "$root/dev/null"
	TRIPTYCH_DATA=/data chroot --userspec="$user" "$root" "$@" >"$scratch/log" 2>&1 &
	server=$!
	for _ in $(seq 300); do
		[ -f "$root/data/keys/first-key" ] && break
		kill -0 "$server" 2>/dev/null || fail "$* ended: $(cat "$scratch/log")"
		sleep 0.1
	done
	url=$(sed -n 's/^triptych: serving \(.*\)$/\1/p' "$scratch/log")
	key=$(cat "$root/data/keys/first-key")
	curl -sSk --fail "$url" -H "Authorization: Bearer $key" -H 'Content-Type: application/json' \
		-d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' | grep -q create_ruleset || fail "$*: no tools"
	kill -TERM "$server"
	wait "$server" || fail "$* ended with $?: $(cat "$scratch/log")"
	server=
}

step checksums
(cd "$dist" && grep -v '\.mcpb$' checksums.txt | sha256sum --quiet -c -)
(cd bin/release/bundles && grep '\.mcpb$' "$dist/checksums.txt" | sha256sum --quiet -c -)

step reproducible
# Another clone in another folder, with nothing compiled before, gives the same bytes.
git clone -q . "$scratch/again"
version=$(sed -n 's/.*"version": *"\([^"]*\)".*/\1/p' "$dist/metadata.json")
(cd "$scratch/again" && GOCACHE="$scratch/cache" CGO_ENABLED=0 GOAMD64=v1 \
	go build -trimpath -ldflags "-s -w -X github.com/triptych-mcp/triptych/cmd/triptych/internal/buildinfo.version=$version" -o "$scratch/triptych" ./cmd/triptych)
cmp "$scratch/triptych" "$dist"/triptych_linux_amd64_v1/triptych || fail "a second build differs"
# So do the archives and packages, made with another umask and time zone.
(cd "$scratch/again" && umask 027 && TZ=Asia/Tokyo make snapshot >"$scratch/again.log" 2>&1) || fail "a second snapshot: $(tail -3 "$scratch/again.log")"
deploy/same.sh bin "$scratch/again/bin" || fail "a second snapshot differs"

step deb
mkdir "$scratch/deb" "$scratch/rpm" "$scratch/image"
dpkg-deb -x "$dist"/triptych_*_linux_amd64.deb "$scratch/deb"
dpkg-deb -f "$dist"/triptych_*_linux_amd64.deb Package Version Architecture
command=$(sed -n 's/^ExecStart=//p' "$scratch/deb/usr/lib/systemd/system/triptych.service")
# shellcheck disable=SC2086 # one word an argument, as systemd parts them
serves "$scratch/deb" 65532:65532 $command --listen 127.0.0.1:0
for file in usr/share/man/man1/triptych-serve.1* usr/share/man/man5/triptych-settings.5* usr/share/bash-completion/completions/triptych etc/triptych/triptych.env; do
	compgen -G "$scratch/deb/$file" >/dev/null || fail "the deb lacks $file"
done

step rpm
rpm2cpio "$dist"/triptych_*_linux_amd64.rpm >"$scratch/cpio" || true # Debian's ends with 1 after all is written
(cd "$scratch/rpm" && cpio -idm --quiet --no-absolute-filenames <"$scratch/cpio" 2>/dev/null)
# shellcheck disable=SC2086
serves "$scratch/rpm" 65532:65532 $command --listen 127.0.0.1:0

step units
mkdir "$scratch/units"
for unit in "$scratch/deb"/usr/lib/systemd/system/triptych*; do
	sed "s|/usr/bin/triptych|$scratch/deb/usr/bin/triptych|" "$unit" >"$scratch/units/${unit##*/}"
done
systemd-analyze verify --man=no "$scratch"/units/*.service "$scratch"/units/*.socket
systemd-analyze security --offline=true --threshold=20 "$scratch/units/triptych.service" | tail -1
systemd-analyze security --offline=true --threshold=40 "$scratch/units/triptych-debugger.service" | tail -1

step image
install -D "$dist"/triptych_linux_amd64_v1/triptych "$scratch/image/usr/bin/triptych"
cp -r deploy/docker/data "$scratch/image/data"
cp -r deploy/docker/tmp "$scratch/image/tmp"
chown -R 65532:65532 "$scratch/image/data" "$scratch/image/tmp"
serves "$scratch/image" 65532:65532 /usr/bin/triptych serve --listen 0.0.0.0:0

step bundles
mkdir "$scratch/npm" "$scratch/bundle"
(cd "$scratch/npm" && npm install --silent --no-audit --no-fund @anthropic-ai/mcpb@2.1.2 >/dev/null)
for bundle in bin/release/bundles/*.mcpb; do
	rm -rf "$scratch/bundle"
	"$scratch/npm/node_modules/.bin/mcpb" unpack "$bundle" "$scratch/bundle" >/dev/null
	"$scratch/npm/node_modules/.bin/mcpb" validate "$scratch/bundle/manifest.json" >/dev/null || fail "$bundle is not valid"
	case $bundle in *linux_amd64*)
		echo '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' |
			"$scratch/bundle/server/triptych" stdio --families rulesets --data "$scratch/data" | grep -q create_ruleset || fail "$bundle does not serve"
		;;
	esac
done

step stranger
deploy/stranger.sh "$dist"/triptych_*_linux_amd64.deb "$dist"/triptych_*_linux_amd64.tar.gz

step documents
for bill in "$dist"/*.cdx.json; do
	grep -q '"bomFormat": "CycloneDX"' "$bill" || fail "$bill is no bill of materials"
done
grep -q fileSha256 bin/release/server.json || fail "server.json names no bundle"
compgen -G "$dist/homebrew/Formula/triptych.rb" >/dev/null || fail "there is no formula"
find "$dist/winget" -name '*.yaml' | grep -q . || fail "there is no winget manifest"
echo "release-check: all is well"

#!/usr/bin/env bash
# Walks the way of a person who has never seen triptych, on bare Debian systems that boot
# systemd, and prints the time of each step: the package is installed, the service
# started, a key made, an editor configured, a rule read by the TypeScript client, a
# backup restored on another system, and a data folder of an earlier version served.
#
#	deploy/stranger.sh PACKAGE.deb ARCHIVE.tar.gz
#
# Needs root, debootstrap with a Debian mirror, unshare, nsenter, node and npm; where one
# is missing it says so and ends with 0, but with 1 where CI is set. TRIPTYCH_ROOT names a
# root folder with systemd to copy instead of making one.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

# boot ROOT makes the calling process the systemd of a root folder. It runs in namespaces
# of its own; what systemd sets for a whole kernel (sysctl) is mounted read only.
boot() {
	local root=$1 node
	mount --make-rprivate /
	mount --bind "$root" "$root"
	cd "$root"
	mount -t proc proc proc
	mount -o bind proc/sys proc/sys && mount -o remount,bind,ro proc/sys
	mount -t sysfs -o ro sysfs sys
	mount -t tmpfs -o mode=755 tmpfs run
	mount -t tmpfs tmpfs tmp
	mount -t tmpfs -o mode=755 tmpfs dev
	for node in null zero full random urandom tty; do
		touch "dev/$node" && mount --bind "/dev/$node" "dev/$node"
	done
	mkdir dev/pts dev/shm
	mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
	mount -t tmpfs tmpfs dev/shm
	ln -s pts/ptmx dev/ptmx
	ln -s /proc/self/fd dev/fd
	if [ "$(stat -fc %T /sys/fs/cgroup)" = cgroup2fs ]; then
		mount -t cgroup2 cgroup2 sys/fs/cgroup
	else
		mount -t tmpfs -o mode=755 tmpfs sys/fs/cgroup
		mkdir sys/fs/cgroup/systemd
		mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd
	fi
	mkdir -p .old
	pivot_root . .old
	umount -l .old
	exec env -i container=unshare PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system --show-status=0
}
if [ "${1:-}" = boot ]; then
	boot "$2"
fi

skip() {
	echo "stranger: not run: $*" >&2
	[ -z "${CI:-}" ] || exit 1
	exit 0
}
fail() { echo "stranger: $*" >&2; exit 1; }
[ $# = 2 ] || fail "want the package and the archive"
deb=$(realpath "$1") archive=$(realpath "$2")
[ "$(id -u)" = 0 ] || skip "it needs root"
[ -n "${TRIPTYCH_ROOT:-}" ] || command -v debootstrap >/dev/null || skip "debootstrap is missing"
for program in unshare nsenter node npm; do
	command -v $program >/dev/null || skip "$program is missing"
done

scratch=$(mktemp -d)
machines=() # the processes that hold the namespaces of the systems
cleanup() {
	local machine
	for machine in "${machines[@]}"; do
		kill -KILL "$machine" 2>/dev/null || true
		wait "$machine" 2>/dev/null || true
	done
	rm -rf --one-file-system "$scratch"
}
trap cleanup EXIT

times=()
# step WHAT COMMAND...: runs the command and records how long it took.
step() {
	local what=$1 began=$EPOCHREALTIME
	shift
	echo "== $what"
	"$@"
	times+=("$(awk -v a="$began" -v b="$EPOCHREALTIME" -v what="$what" \
		'BEGIN { s = b - a; printf "%2d min %4.1f s  %s", s / 60, s % 60, what }')")
}

# start ROOT: boots the system of a root folder; its init is then $init.
start() {
	unshare --pid --fork --kill-child --mount --uts --ipc --net --cgroup bash "$here/stranger.sh" boot "$1" >"$1.log" 2>&1 &
	local machine=$!
	machines+=("$machine")
	for _ in $(seq 600); do
		init=$(pgrep -P "$machine" || true)
		case $([ -z "$init" ] || on systemctl is-system-running 2>/dev/null) in
		running | degraded) return 0 ;; # a container has no console to log in at
		esac
		kill -0 "$machine" 2>/dev/null || break
		sleep 0.1
	done
	fail "the system does not start: $(cat "$1.log")"
}

# on COMMAND...: runs a command as the administrator of the system at $init.
on() { nsenter -t "$init" -m -p -u -i -n -C -r -w env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "$@"; }

# install_package ROOT: as docs/install.md says, with the network of this machine.
install_package() {
	cp "$deb" "$1/root/"
	nsenter -t "$init" -m -p -u -i -C -r -w env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive \
		sh -c "apt-get install -y /root/${deb##*/}" >"$scratch/apt.log" 2>&1 || fail "apt: $(tail -5 "$scratch/apt.log")"
}

# enable_service: systemctl waits for READY=1.
enable_service() {
	on systemctl enable --now triptych >/dev/null 2>&1 || fail "the service: $(on journalctl --no-pager -u triptych)"
	on systemctl is-active --quiet triptych
}

# await_key: the first start writes a key into a file that is for the service alone, and none
# into the journal.
await_key() {
	for _ in $(seq 100); do
		! on test -f /var/lib/triptych/keys/first-key || break
		sleep 0.1
	done
	[ "$(on stat -c '%U %a' /var/lib/triptych/keys/first-key)" = 'triptych 600' ] || fail "no first key: $(on journalctl --no-pager -u triptych)"
	! on journalctl --no-pager -o cat -u triptych | grep -q 'kdb_' || fail "the journal has a key"
	on triptych key first --data /var/lib/triptych 2>/dev/null | grep -q '^kdb_' || fail "no first key is printed"
}

make_key() {
	key=$(on triptych key create --name ann --scopes rulesets:read,rulesets:write --data /var/lib/triptych 2>/dev/null)
	strangers=$(on find /var/lib/triptych ! -user triptych)
	[ -z "$strangers" ] || fail "the service cannot read $strangers"
}

# ann COMMAND...: runs a command in the folder of a project on a colleague's machine, which
# reaches the server at $init.
ann() {
	(cd "$scratch/ann/project" && nsenter -t "$init" -n env -i PATH="$scratch/ann/bin:$PATH" HOME="$scratch/ann" \
		TRIPTYCH_KEY="$key" NODE_EXTRA_CA_CERTS="$scratch/ann/cert.pem" "$@")
}

unpack_archive() {
	mkdir -p "$scratch/ann/bin" "$scratch/ann/project"
	tar -xzf "$archive" -C "$scratch/ann/bin" triptych
}

trust() { on cat /var/lib/triptych/tls/cert.pem >"$scratch/ann/cert.pem"; }

write_rule() {
	printf '# Go style\n\nWrap errors with %%w.\n' |
		ann triptych rulesets create go_style -d 'How we write Go' --url https://localhost:8443 --cacert ../cert.pem
}

configure_editor() {
	ann triptych config claude-code --write --url https://localhost:8443 --cacert ../cert.pem
	grep -q 'https://localhost:8443/mcp' "$scratch/ann/project/.mcp.json" || fail "the editor's file: $(cat "$scratch/ann/project/.mcp.json")"
}

# read_rule TEXT: the official client connects as the editor's file says.
read_rule() {
	ann node "$scratch/client/first-rule.mjs" .mcp.json go_style | tee "$scratch/rule" | grep -qF "$1" || fail "the client read: $(cat "$scratch/rule")"
}

save() { on triptych backup /root/triptych.tar.gz --data /var/lib/triptych; }

# restore_elsewhere ROOT: a fresh system with the package, before its service has run.
restore_elsewhere() {
	cp "$scratch/server/root/triptych.tar.gz" "$1/root/"
	on triptych restore /root/triptych.tar.gz --data /var/lib/triptych
	enable_service
	on triptych audit verify --data /var/lib/triptych
}

prepare() {
	if [ -n "${TRIPTYCH_ROOT:-}" ]; then
		cp -a "$TRIPTYCH_ROOT" "$scratch/server"
	else
		debootstrap --variant=minbase --include=systemd,systemd-sysv bookworm "$scratch/server" >"$scratch/debootstrap.log" 2>&1 ||
			skip "debootstrap: $(tail -1 "$scratch/debootstrap.log")"
	fi
	# The systems have no network but loopback to wait for.
	ln -sf /dev/null "$scratch/server/etc/systemd/system/systemd-networkd-wait-online.service"
	cp -a "$scratch/server" "$scratch/elsewhere"
	mkdir "$scratch/client"
	cp "$here"/../conformance/interop/node/package*.json "$here/first-rule.mjs" "$scratch/client/"
	(cd "$scratch/client" && npm ci --silent --no-audit --no-fund >/dev/null) || skip "npm cannot install the client"
}

step "prepare two bare systems and the client (not part of the way)" prepare
start "$scratch/server"
step "install the package" install_package "$scratch/server"
step "enable the service" enable_service
step "find the first key" await_key
step "make a key for a colleague" make_key
step "colleague: unpack the archive" unpack_archive
step "colleague: trust the certificate" trust
step "colleague: write a rule" write_rule
step "colleague: configure the editor" configure_editor
step "colleague: read the rule with the TypeScript client" read_rule 'Wrap errors with %w.'
step "back up the running server" save
start "$scratch/elsewhere"
step "elsewhere: install the package" install_package "$scratch/elsewhere"
step "elsewhere: restore, serve and verify the trail" restore_elsewhere "$scratch/elsewhere"
trust
step "elsewhere: read the rule with the same key" read_rule 'Wrap errors with %w.'
printf '%s\n' "" "${times[@]}"
echo "stranger: all is well"

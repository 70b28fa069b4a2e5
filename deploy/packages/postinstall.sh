#!/bin/sh
# After an installation or an upgrade. The services are not started: an
# administrator chooses which.
set -e
stopped=
if [ -d /run/systemd/system ]; then
	# Units of earlier versions had users that exist only while the services run
	# (DynamicUser). systemd-sysusers would take them for users and make none.
	for service in triptych triptych-debugger; do
		if ! grep -q "^$service:" /etc/passwd && systemctl is-active --quiet "$service.service"; then
			systemctl stop "$service.service" && stopped="$stopped $service.service" || true
		fi
	done
	systemd-sysusers triptych.conf || true
	systemctl daemon-reload || true
	# shellcheck disable=SC2086 # one word a service
	[ -z "$stopped" ] || systemctl start $stopped || true
	systemctl try-restart triptych.service triptych-debugger.service || true
elif command -v systemd-sysusers >/dev/null 2>&1; then
	systemd-sysusers triptych.conf || true
fi
if [ "$1" = configure ] && [ -z "$2" ] || [ "$1" = 1 ]; then # a first installation, of deb or rpm
	echo "triptych is installed. To serve your team's rulesets over HTTPS:"
	echo "    systemctl enable --now triptych && journalctl -u triptych"
fi

#!/bin/sh
# After an installation or an upgrade. The services are not started: an
# administrator chooses which.
set -e
if [ -d /run/systemd/system ]; then
	systemd-sysusers triptych.conf || true
	systemctl daemon-reload || true
	systemctl try-restart triptych.service triptych-debugger.service || true
elif command -v systemd-sysusers >/dev/null 2>&1; then
	systemd-sysusers triptych.conf || true
fi
if [ "$1" = configure ] && [ -z "$2" ] || [ "$1" = 1 ]; then # a first installation, of deb or rpm
	echo "triptych is installed. To serve your team's rulesets over HTTPS:"
	echo "    systemctl enable --now triptych && journalctl -u triptych"
fi

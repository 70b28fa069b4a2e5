#!/bin/sh
# Before a removal, not before an upgrade. The data stays in /var/lib/triptych.
set -e
case "$1" in
remove | 0)
	if [ -d /run/systemd/system ]; then
		systemctl disable --now triptych.service triptych.socket triptych-debugger.service || true
	fi
	;;
esac

#!/bin/sh
# Reports the exit that this machine is behind, once or every so many seconds.
#
#   PULSE_URL=https://pulse.example PULSE_BEACON=pb_... sh beacon.sh [SECONDS]
#
# PULSE_URL     address of the service, without a trailing slash
# PULSE_BEACON  the token of the beacon
#
# Takes curl or wget, and with either of them its proxy settings (https_proxy, ALL_PROXY): set those to report the exit of a proxy. On Android the same file
# runs in Termux (pkg install curl) and, without it, through adb: see docs/beacons.md.
# Ends with status 0 when the exit was taken; with SECONDS it does not end.
set -u
: "${PULSE_URL:?set PULSE_URL to the address of the service}"
: "${PULSE_BEACON:?set PULSE_BEACON to the token of the beacon}"

# curl reads the token from a pipe and GNU wget from a file of this user, so that the list of processes does not show it.
report() {
  if command -v curl >/dev/null 2>&1; then
    printf 'header = "Authorization: Bearer %s"\n' "$PULSE_BEACON" |
      curl --config - --silent --show-error --fail-with-body --max-time 30 --request POST --data '' "$PULSE_URL/v1/beacon"
  elif wget --version >/dev/null 2>&1; then
    settings=$(umask 077 && mktemp) || return 1
    printf 'header = Authorization: Bearer %s\n' "$PULSE_BEACON" >"$settings"
    wget --config="$settings" --quiet --output-document=- --content-on-error --timeout=30 --tries=1 --post-data='' "$PULSE_URL/v1/beacon"
    status=$?
    rm -f "$settings"
    return $status
  else
    # The small wget of BusyBox takes headers on its command line only.
    wget -q -O - -T 30 --header "Authorization: Bearer $PULSE_BEACON" --post-data '' "$PULSE_URL/v1/beacon"
  fi
}

if [ $# -eq 0 ]; then
  report
  status=$?
  echo
  exit $status
fi
while :; do
  report
  echo
  sleep "$1"
done

#!/bin/sh
# Makes the secrets of compose.yaml in deploy/secrets, once. Existing files are kept.
# The folder is closed to other users of this machine; the files are readable, because each container mounts them under a user of its own.
set -eu
umask 077
cd "$(dirname -- "$0")"
mkdir -p secrets
random() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
make() { [ -e "secrets/$1" ] || { printf '%s' "$2" >"secrets/$1" && chmod 0444 "secrets/$1"; }; }
make postgres_password "$(random)"
make database_password "$(random)"
make valkey_password "$(random)"
make PULSE_SECRET "$(random)"
make PULSE_DATABASE_URL "postgres://pulse:$(cat secrets/database_password)@postgres:5432/pulse"
make PULSE_REDIS_URL "redis://:$(cat secrets/valkey_password)@valkey:6379"

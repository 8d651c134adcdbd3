#!/bin/sh
# Runs `pulse` with its arguments. Every file named PULSE_… in the folder of secrets becomes the variable of that name, so that no secret stands in a unit, a
# compose file or what `inspect` prints. The folder is systemd's (LoadCredential=) or a container's.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
for file in "${CREDENTIALS_DIRECTORY:-/run/secrets}"/PULSE_*; do
  [ -e "$file" ] || continue
  value=$(cat -- "$file")
  export "$(basename -- "$file")=$value"
done
# Threads for hashes of passwords (half of the processors) and four more for files and names, large blocks of memory, and room for young objects, as
# scripts/runtime.mjs sets them.
export UV_THREADPOOL_SIZE="${UV_THREADPOOL_SIZE:-$((4 + ($(nproc 2>/dev/null || echo 8) + 1) / 2))}"
export MALLOC_MMAP_THRESHOLD_="${MALLOC_MMAP_THRESHOLD_:-1048576}"
exec "$here/node_modules/.bin/node" --max-semi-space-size=2 "$here/src/cli/main.ts" "$@"

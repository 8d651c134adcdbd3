// Preloaded by each process of test files: node:test bounds a test, never the file, and one open socket after a failed test would hold the whole run for ever.
const LONGEST_MS = 600_000;
setTimeout(() => {
  process.stderr.write(
    `pulse: ended after ${LONGEST_MS / 1000} s, held by ${process.getActiveResourcesInfo().join(', ')}\n`,
  );
  process.exit(1);
}, LONGEST_MS).unref();

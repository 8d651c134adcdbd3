// `npm run audit`: reports of the registry and the Node release of the packages that are installed. Runs on Node 20.
// Exit status: 0 all was checked and nothing found, 1 something was found, 2 nothing was found but something could not be checked.
import { spawnSync } from 'node:child_process';
import { checkRuntime } from './check-runtime.mjs';
import { npmCommand } from './npm-command.mjs';
import { pinnedNode, root } from './runtime.mjs';

const LIMIT_MS = 120_000;

/** npm's answer as JSON, or undefined with the reason on standard error. npm ends with 1 both for a finding and for a registry that does not answer. */
function npm(...words) {
  const [command, ...first] = npmCommand();
  const { stdout, stderr } = spawnSync(
    command,
    [...first, ...words, '--json', '--fetch-retries=0', '--audit=true', '--loglevel=error'],
    {
      cwd: root,
      encoding: 'utf8',
      timeout: LIMIT_MS,
      maxBuffer: 1 << 26,
    },
  );
  const answer = jsonOf(stdout ?? '');
  return answer === undefined || answer.error !== undefined ? { reason: reasonOf(answer, stderr ?? '') } : answer;
}

function jsonOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const reasonOf = (answer, stderr) =>
  answer?.error?.summary ||
  stderr
    .trim()
    .split('\n')[0]
    ?.replace(/^npm (error|warn) /, '') ||
  'npm did not answer';

/** Published advisories of production packages. */
function advisories() {
  const answer = npm('audit', '--omit=dev');
  if (answer.vulnerabilities === undefined) return { unchecked: answer.reason ?? 'npm audit gave no list' };
  return { found: Object.values(answer.vulnerabilities).map(({ name, severity }) => `${name}: ${severity}`) };
}

/** The registry's signature of every installed package. npm also needs the keys that sigstore publishes. */
function signatures() {
  const answer = npm('audit', 'signatures');
  if (answer.invalid === undefined) return { unchecked: answer.reason ?? 'npm audit signatures gave no list' };
  const named = (reason) => (one) => `${one.name}@${one.version}: ${reason}`;
  return {
    found: [
      ...answer.invalid.map(named('the signature is wrong')),
      ...answer.missing.map(named('the registry has no signature')),
    ],
  };
}

function runtimeDigest() {
  const pinned = pinnedNode();
  if (pinned === undefined) return { unchecked: 'the pinned Node is not installed' };
  const fault = checkRuntime(root, pinned);
  return { found: fault === undefined ? [] : [fault] };
}

const checks = {
  'advisories of production packages': advisories,
  'signatures of all packages': signatures,
  'digest of the pinned Node': runtimeDigest,
};
let status = 0;
for (const [name, check] of Object.entries(checks)) {
  const { found = [], unchecked } = check();
  const said =
    unchecked !== undefined
      ? `NOT CHECKED: ${unchecked}`
      : found.length === 0
        ? 'nothing found'
        : `${found.length} found`;
  process.stdout.write(`${name}: ${said}\n${found.map((one) => `  ${one}\n`).join('')}`);
  if (found.length > 0) status = 1;
  else if (unchecked !== undefined && status === 0) status = 2;
}
process.exitCode = status;

// Imported before all else by programs that start on the machine's own Node. Nodes from 14.8 on can read these files and their importers, which load the rest afterwards.
import { say } from './say.mjs';

const LEAST_MAJOR = 20;

if (Number.parseInt(process.versions.node, 10) < LEAST_MAJOR) {
  process.stderr.write(
    `pulse: ${say('this is Node {version}, and Node {least} or newer is needed to start (the service itself runs on a Node of its own)', { version: process.versions.node, least: LEAST_MAJOR })}\n`,
  );
  process.exit(1);
}

#!/usr/bin/env node
// The `pulse` command. Runs on any Node from 20 on and hands over to the pinned runtime.
import { join } from 'node:path';
import '../scripts/require-node.mjs';

const { compiledCode } = await import('../src/adapters/data-folder/compiled-code.mjs');
const { ensureInstalled, root, runInstead, runtime, COMMAND_FLAGS, NODE_FLAGS } = await import(
  '../scripts/runtime.mjs'
);
const words = process.argv.slice(2);
await ensureInstalled();
const serving = words.find((word) => !word.startsWith('-')) === 'serve';
const flags = serving ? NODE_FLAGS : COMMAND_FLAGS;
await runInstead(runtime({ serving }), [...flags, join(root, 'src', 'cli', 'main.ts'), ...words], {
  env: compiledCode(process.cwd()),
});

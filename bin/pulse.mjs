#!/usr/bin/env node
// The `pulse` command. Runs on any Node from 20 on and hands over to the pinned runtime.
import { join } from 'node:path';
import { ensureInstalled, root, runPinned } from '../scripts/runtime.mjs';

ensureInstalled();
runPinned([join(root, 'src', 'cli', 'main.ts'), ...process.argv.slice(2)]);

/**
 * node:http without its view as an ES module: to make that, the runtime reads every export, WebSocket among
 * them, and so loads a whole HTTP client that no thread of ours uses: 16 MB and 50 ms of processor a thread.
 */
export const nodeHttp = process.getBuiltinModule('node:http');

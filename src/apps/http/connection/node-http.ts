/**
 * Avoids node:http's view as an ES module: for it the runtime reads every export, WebSocket among them, and
 * loads a whole HTTP client that no thread uses: 16 MB and 50 ms of processor a thread.
 */
export const nodeHttp = process.getBuiltinModule('node:http');

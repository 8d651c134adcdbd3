/** A reporter of node:test: one line of JSON for each test that was skipped, with its reason. */
export default async function* noteSkips(events) {
  for await (const { type, data } of events)
    if (type === 'test:pass' && data.skip !== undefined)
      yield `${JSON.stringify({ file: data.file, test: data.name, reason: String(data.skip) })}\n`;
}

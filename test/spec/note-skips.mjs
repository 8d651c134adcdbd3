/** One line of JSON for a test that was skipped, with its reason. */
export const skipLine = ({ file, name, skip }) => `${JSON.stringify({ file, test: name, reason: String(skip) })}\n`;

/** A reporter of the test runner: a line for each skipped test. */
export default async function* noteSkips(events) {
  for await (const { type, data } of events) if (type === 'test:pass' && data.skip !== undefined) yield skipLine(data);
}

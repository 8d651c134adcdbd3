/** One line of JSON for a test that was skipped, with its reason. */
export const skipLine = ({ file, name, skip }) => `${JSON.stringify({ file, test: name, reason: String(skip) })}\n`;

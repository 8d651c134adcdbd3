const LEVELS: Readonly<Record<number, string>> = { 40: 'warning: ', 50: 'error: ', 60: 'error: ' };

export function logSentence(line: string): string {
  let entry: Record<string, unknown>;
  try {
    entry = JSON.parse(line);
  } catch {
    return line;
  }
  const { level, time: _time, msg, ...fields } = entry;
  const texts = Object.entries(fields).map(([name, value]) =>
    isFault(value) ? value.message : `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return `pulse: ${LEVELS[Number(level)] ?? ''}${String(msg ?? '')}${texts.length === 0 ? '' : ` (${texts.join(', ')})`}\n`;
}

const isFault = (value: unknown): value is { readonly message: string } =>
  typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string';

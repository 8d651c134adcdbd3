/** Splits one RFC 4180 row. A quoted field may hold the separator and doubled quotes; line breaks inside quotes do not occur in the lists we read. */
export function splitRow(line: string, separator: string): string[] {
  if (!line.includes('"')) return line.split(separator).map((field) => field.trim());
  const fields: string[] = [];
  let field = '';
  let quoted = false;
  for (let at = 0; at < line.length; at++) {
    const char = line[at]!;
    if (quoted) {
      if (char !== '"') field += char;
      else if (line[at + 1] === '"') field += line[at++];
      else quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === separator) {
      fields.push(field.trim());
      field = '';
    } else field += char;
  }
  fields.push(field.trim());
  return fields;
}

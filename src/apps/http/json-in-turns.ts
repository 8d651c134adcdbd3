import { setImmediate } from 'node:timers/promises';

/** Type of an answer that is sent as such a text. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** Characters written before other requests have their turn: well under a millisecond of work. */
const TURN_CHARACTERS = 32 * 1024;
/** Levels of objects and lists that are written member by member; what lies deeper is small. */
const LEVELS = 3;

/** What `JSON.stringify` would write, with turns of the event loop in between: for documents that grow with what an account has. */
export async function jsonInTurns(document: object): Promise<string> {
  const parts: string[] = [];
  let characters = 0;
  for (const part of partsOf(document, LEVELS)) {
    parts.push(part);
    characters += part.length;
    if (characters < TURN_CHARACTERS) continue;
    characters = 0;
    await setImmediate();
  }
  return parts.join('');
}

function* partsOf(value: object, levels: number): Generator<string> {
  const isList = Array.isArray(value);
  let before = isList ? '[' : '{';
  for (const [key, member] of Object.entries(value)) {
    // As in JSON.stringify: left out of an object, null in a list.
    if (member === undefined && !isList) continue;
    const name = isList ? before : `${before}${JSON.stringify(key)}:`;
    before = ',';
    if (levels > 1 && typeof member === 'object' && member !== null) {
      yield name;
      yield* partsOf(member, levels - 1);
    } else yield name + (JSON.stringify(member) ?? 'null');
  }
  yield before === ',' ? (isList ? ']' : '}') : isList ? '[]' : '{}';
}

import { type Said, said } from '../../core/texts/said.ts';
import type { McpTool, ToolArguments } from './mcp-tool.ts';

interface Schema {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
}

/**
 * Reads the arguments of a call by the tool's input schema. Models fill in every argument: null and an empty text
 * of an optional one mean that it is left out.
 */
export function readArguments(
  { definition, misuse }: McpTool,
  sent: ToolArguments,
): { readonly given: ToolArguments; readonly fault?: Said | undefined } {
  const { properties = {}, required = [] } = definition.inputSchema;
  const names = Object.keys(properties).join(', ');
  const given: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(sent)) {
    const schema = Object.hasOwn(properties, name) ? (properties[name] as Schema) : undefined;
    if (schema === undefined)
      return {
        given,
        fault:
          names === ''
            ? said('This tool takes no argument.')
            : said('There is no argument {name}; there are {names}.', {
                name: JSON.stringify(name.slice(0, 40)),
                names,
              }),
      };
    if ((value === null || value === '') && !required.includes(name)) continue;
    const fault = faultOf(name, value, schema);
    if (fault !== undefined) return { given, fault };
    given[name] = value;
  }
  return { given, fault: misuse?.(given) };
}

function faultOf(name: string, value: unknown, { type, enum: values, minItems, maxItems = 0, minimum = 0 }: Schema) {
  if (type === 'array') {
    const isList = Array.isArray(value) && value.length >= minItems! && value.length <= maxItems;
    if (isList && value.every((item) => typeof item === 'string')) return undefined;
    return said('The argument {name} must be a list of 1 to {max} strings.', { name, max: maxItems });
  }
  if (type === 'integer')
    return Number.isSafeInteger(value) && Number(value) >= minimum
      ? undefined
      : said('The argument {name} must be a whole number from {min} on.', { name, min: minimum });
  if (typeof value !== 'string') return said('The argument {name} must be a string.', { name });
  return values === undefined || values.includes(value)
    ? undefined
    : said('The argument {name} must be one of {values}.', { name, values: values.join(', ') });
}

/** Texts that are no list, with the sentence and its values. */
export const NO_LISTS: readonly (readonly [text: string, fault: RegExp])[] = [
  ['host;note\n5.188.10.1;x', /^line \{line\} names no address/],
  ['Server\n5.188.10.1', /^line \{line\} names no address/],
  ['name,start,end\nx,5.188.10.1,5.188.10.2', /^line \{line\} names no address/],
  ['src_ip,client_ip\n5.188.10.1,5.188.10.2', /^columns \{names\} may each be the address/],
  ['[\n  {"ip":"5.188.10.1"}\n]', /^it is a JSON document/],
  ['["5.188.10.1","5.188.10.2"]', /^it is a JSON document/],
  ['{\n  "ip": "5.188.10.1"\n}', /^it is a JSON document/],
  ['{"meta":{"generatedAt":"2026-11-01"},"data":[{"ipAddress":"5.188.10.1"}]}', / \.data\[\]$/],
  ['{"a":{"b c":["5.188.10.1"]},"tags":[1]}', / \.a\["b c"\]\[\]$/],
  ['<!DOCTYPE html>\n<p>5.188.10.1</p>', /^it is an HTML or XML document/],
];

import { splitRow } from '../csv/split-row.ts';
import { isRecord, parseRecord } from '../kit/json.ts';
import { wordsOf } from './detect-layout.ts';
import { isTable, type LineLayout } from './line-layout.ts';

/** One line's account of a request or a login; a fact that the line lacks is absent. */
export interface LogRequest {
  /** Excludes query and host. */
  readonly path?: string | undefined;
  /** The HTTP status, or sshd's word in its place: `Failed` or `Accepted`. */
  readonly status?: string | undefined;
  readonly agent?: string | undefined;
  readonly bytes?: number | undefined;
}

/** Access logs have request line, status and size, and after the referrer the user agent. */
const REQUEST =
  /"[^" ]+ (?<path>[^" ]+)(?: [^"]*)?" (?<status>\d{3}) (?<bytes>\d+|-)(?: "(?:[^"\\]|\\.)*" "(?<agent>(?:[^"\\]|\\.)*)")?/;
/** Load balancers of AWS write statuses and sizes before the request. */
const BALANCED =
  / (?<status>\d{3}) (?:\d{3}|-) \d+ (?<bytes>\d+) "[^" ]+ (?<path>\w+:\/\/[^" ]+)(?: [^"]*)?" "(?<agent>(?:[^"\\]|\\.)*)"/;
const LOGIN = / sshd(?:-session)?\[\d+\]: (?<status>Failed|Accepted) \S+ for /;

/**
 * Logs use these lower-case names, best first: W3C, Cloudflare, Elastic Common Schema, Caddy, nginx, Traefik,
 * Google, Azure, common use; `action` is of flow logs.
 */
const NAMES: Readonly<Record<keyof LogRequest, string>> = {
  path: 'cs-uri-stem clientrequestpath clientrequesturi url.path request.uri request_uri request_path requestpath httprequest.requesturl properties.requesturi uri path url request_url request',
  status: 'sc-status edgeresponsestatus http.response.status_code status status_code statuscode response_status downstreamstatus httprequest.status properties.httpstatus action',
  agent: 'cs(user-agent) clientrequestuseragent user_agent.original http_user_agent request_user_agent user_agent useragent request_user-agent httprequest.useragent properties.useragent',
  bytes: 'sc-bytes edgeresponsebytes http.response.bytes body_bytes_sent bytes_sent response_body_size resp_body_size size bytes downstreamcontentsize httprequest.responsesize properties.sentbytes',
}; // biome-ignore format: rows of names

/** Returns a reader of requests in lines of such a file; it gives undefined where a line has none. */
export function requestReader(layout: LineLayout): (line: string) => LogRequest | undefined {
  const { format, header, words } = layout;
  if (format === 'ndjson')
    return (line) => {
      const byName = new Map<string, string>();
      collect(parseRecord(line) ?? {}, '', byName);
      return named((name) => byName.get(name));
    };
  const names = (header ?? words)?.map((name) => name.trim().toLowerCase());
  if (names === undefined)
    return (line) => {
      const found = (REQUEST.exec(line) ?? BALANCED.exec(line) ?? LOGIN.exec(line))?.groups;
      return found && requestOf(found);
    };
  const separator = String.fromCharCode(layout.separator);
  return (line) => {
    const cells = isTable(layout) ? splitRow(line, separator) : wordsOf(line);
    return named((name) => cells[names.indexOf(name)]);
  };
}

function collect(record: Readonly<Record<string, unknown>>, path: string, into: Map<string, string>): void {
  for (const [key, value] of Object.entries(record)) {
    const name = `${path}${key.toLowerCase()}`;
    if (typeof value === 'string' || typeof value === 'number') into.set(name, String(value));
    else if (isRecord(value) && path.split('.').length <= DEPTH_MAX) collect(value, `${name}.`, into);
  }
}

const DEPTH_MAX = 3;

function named(get: (name: string) => string | undefined): LogRequest | undefined {
  const find = (key: keyof LogRequest): string | undefined =>
    NAMES[key]
      .split(' ')
      .map(get)
      .find((value) => value !== undefined && value !== '' && value !== '-');
  return requestOf({ path: find('path'), status: find('status'), agent: find('agent'), bytes: find('bytes') });
}

const PATH = /^(?:[A-Z]+ )?(?:\w+:\/\/[^/? ]*)?(?<path>[^? ]*)/;

function requestOf({
  path,
  status,
  agent,
  bytes,
}: Readonly<Partial<Record<keyof LogRequest, string | undefined>>>): LogRequest | undefined {
  if (path === undefined && status === undefined) return undefined;
  return {
    path: path && shortened(PATH.exec(path)!.groups!['path'] || '/'),
    status: status && shortened(status),
    agent: agent === undefined || agent === '-' ? undefined : shortened(agent),
    bytes: bytes !== undefined && /^\d{1,15}$/.test(bytes) ? Number(bytes) : undefined,
  };
}

/** A user agent of a browser has about 140 characters; longer values are cut. */
const TEXT_MAX = 200;
const shortened = (text: string): string => (text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX - 1)}…` : text);

import { parseRfc3339 } from '../../evidence/parse-rfc3339.ts';
import { isRecord, parseRecord } from '../../kit/json.ts';
import { canonicalAddress, isOfProgram, type LogEvent, type LogProtocol, type LogReader, portOf } from './log-event.ts';

type Row = Readonly<Record<string, unknown>>;

const APP_LAYERS: Readonly<Record<string, LogProtocol>> = {
  ssh: 'ssh',
  smtp: 'smtp',
  ftp: 'ftp',
  'ftp-data': 'ftp',
  telnet: 'telnet',
  rdp: 'rdp',
  rfb: 'vnc',
  smb: 'smb',
  pgsql: 'postgresql',
  mqtt: 'tcp',
  ldap: 'tcp',
  modbus: 'tcp',
  dcerpc: 'tcp',
};

const HTTP = 'http';
/**
 * These layers do not show who sent the data: TLS, HTTP inside it, and bytes that Suricata does not recognise
 * (WebRTC's among them). A page of another site can make a browser send them.
 */
const UNKNOWN_SENDER = new Set(['tls', 'http2', 'failed']);

/**
 * Reads Suricata's EVE JSON (https://docs.suricata.io/en/latest/output/eve/eve-json-format.html) from a
 * sensor such as T-Pot: each client that sent data over a TCP connection is a scan. Evidence are records of
 * an application layer, flows with data, recognised or not (`app_proto`), and alerts about traffic of
 * clients. UDP, ICMP and connections without data are skipped, because their sender may be forged or they say
 * nothing; so are bytes that a browser may have sent. A PASS command of FTP is an offer of credentials.
 * @param alertsOnly set where the same addresses serve people: their traffic is not a scan, but a match of
 * the operator's rule is
 */
export const eveLog = ({ alertsOnly }: { readonly alertsOnly: boolean }): LogReader => ({
  isOfFormat: (line) => typeof parseRecord(line)?.['event_type'] === 'string',
  read(line) {
    const row = parseRecord(line);
    if (row === undefined || row['proto'] !== 'TCP' || (alertsOnly && row['event_type'] !== 'alert')) return undefined;
    const protocol = protocolOf(row);
    const ip = typeof row['src_ip'] === 'string' ? canonicalAddress(row['src_ip']) : undefined;
    const at = typeof row['timestamp'] === 'string' ? timeOf(row['timestamp']) : undefined;
    const port = portOf(row['dest_port']);
    if (protocol === undefined || ip === undefined || at === undefined || port === undefined) return undefined;
    const flow = row['flow_id'];
    const connection = typeof flow === 'number' || typeof flow === 'string' ? { connection: String(flow) } : {};
    return {
      ip,
      riskType: offersCredentials(row) ? 'honeypot_credential' : 'honeypot_scan',
      protocol,
      port,
      at,
      ...connection,
    } satisfies LogEvent;
  },
});

function protocolOf(row: Row): LogProtocol | undefined {
  const type = row['event_type'];
  if (typeof type !== 'string') return undefined;
  const isRecordOfLayer = type === HTTP || Object.hasOwn(APP_LAYERS, type);
  if (
    !isRecordOfLayer &&
    type !== 'flow' &&
    !(type === 'alert' && row['direction'] === 'to_server' && isAnswered(row['flow']))
  )
    return undefined;
  const layer = isRecordOfLayer ? type : row['app_proto'];
  if (typeof layer !== 'string' || UNKNOWN_SENDER.has(layer)) return undefined;
  if (layer === HTTP) return isProgramsRequest(row[HTTP]) ? HTTP : undefined;
  return Object.hasOwn(APP_LAYERS, layer) ? APP_LAYERS[layer] : 'tcp';
}

function isProgramsRequest(http: unknown): boolean {
  if (!isRecord(http)) return false;
  const [referrer = '-', userAgent = '-'] = [http['http_refer'], http['http_user_agent']];
  return typeof referrer === 'string' && typeof userAgent === 'string' && isOfProgram({ referrer, userAgent });
}

const isAnswered = (flow: unknown): boolean =>
  isRecord(flow) && typeof flow['pkts_toclient'] === 'number' && flow['pkts_toclient'] > 0;

function offersCredentials(row: Row): boolean {
  const ftp = row['ftp'];
  return isRecord(ftp) && typeof ftp['command'] === 'string' && ftp['command'].toUpperCase() === 'PASS';
}

/** Suricata writes the time offset without a colon. */
const timeOf = (text: string) => parseRfc3339(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));

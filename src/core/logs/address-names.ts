/** Names under which exporters and loggers write the client's address, best first: Elastic Common Schema, CloudFront, Cloudflare, Caddy, nginx, Suricata, common use. */
export const ADDRESS_NAMES: readonly string[] = [
  'client.ip', 'client_ip', 'clientip', 'source.ip', 'remote_ip', 'remote_addr', 'request.client_ip', 'request.remote_ip', 'c-ip', 'src_ip', 'source_ip', 'srcip',
  'ip', 'ip_address', 'ipaddress', 'ip_addr', 'ipaddr', 'address', 'addr', 'client', 'src', 'source', 'host',
]; // biome-ignore format: rows of names

/** Names under which they write the time of an event, best first. */
export const TIME_NAMES: readonly string[] = [
  '@timestamp', 'timestamp', 'time', 'datetime', 'date_time', 'ts', 'event_time', 'eventtime', 'time_iso8601', 'time_local', 'edgestarttimestamp', 'created_at', 'date',
]; // biome-ignore format: rows of names

/** Place of a name in a list, whatever its case; -1 where it is not in it. */
export const rankOf = (names: readonly string[], name: string): number => names.indexOf(name.trim().toLowerCase());

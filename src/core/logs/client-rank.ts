import { Recent } from '../kit/recent.ts';

/**
 * Ranks how well a name says that its value is the client's address; smaller is better. Names are keys of
 * JSON, `key=value` and tables, and words of a sentence. The last part decides, or the one before it where
 * the last says only "address".
 *
 * - `format`: a format of the table places the client
 * - `edge`: the client as a proxy in front found it and wrote it for the server
 * - `forwarded`: a list that the client may have begun; it counts where the address in front is private
 * - `address`: the name says only that it is an address
 * - `unknown`: the name says nothing
 * - `link`: the host of a URL, which counts in a list of indicators and not in a log
 * - `other`: the other side, or a machine in between
 * - `chosen`: text from the client, a version or an answer of DNS; it never counts alone
 */
export const CLIENT_RANK = {
  format: 0,
  edge: 1,
  client: 2,
  source: 3,
  remote: 4,
  forwarded: 5,
  address: 6,
  unknown: 7,
  link: 8,
  other: 9,
  chosen: 10,
} as const;
export type ClientRank = (typeof CLIENT_RANK)[keyof typeof CLIENT_RANK];

const WORDS: readonly (readonly [ClientRank, string])[] = [
  [CLIENT_RANK.chosen, 'version ver agent useragent ua url uri referer referrer query qname domain helo ehlo cookie path args arguments cmd command commandline body answer answers rdata resolved cname netmask mask subnet cidr oid build firmware description comment title rule filter uid reason'],
  [CLIENT_RANK.forwarded, 'xff forwarded forwardedfor xforwardedfor proxychain'],
  [CLIENT_RANK.other, 'dst dhost da dest destination ziel zieladresse zielip destino destinazione cible serveur servidor lokal cel doel mål cíl đích hedef sunucu docelowy docelowa bestemming 목적지 목적지ip 대상 서버 назначения получателя сервер сервера dstn dip daddr ddst server srv serv svr s local loc lcl laddr locip upstream resolver resp response responder nat natted xlate xlated translated translation mapped post postnat gaddr target tgt victim device dvc dev devip agt ahost dial dialing fw firewall gateway gw proxy proxies via relay alarm tunnel framed sdip cdip ssip observer sensor collector exporter reporter reporting logger log syslog listener listen bind router rtr hop nexthop internal intranet lan backend origin originserver dns ns nameserver to pool assigned leased inner virtual vip vhost management mgmt appliance hostip node sp serverip host_ip agentip ap nas'],
  [CLIENT_RANK.client, 'client cli c cip csip oip attack cliente klient klienta klant istemci kullanıcı 클라이언트 사용자 접속자 접속ip 공격자 клиент клиента angreifer clientip clientaddr clienthost accessdevice caller calling user usr userip visitor customer attacker attackers offender suspect intruder abuser guest subscriber requester requestor requesting login logon actor operator rhost downstream ui'],
  [CLIENT_RANK.source, 'src shost sa source sources quell quelle quelladresse quellip herkunft absender origen origem origine источник источника отправителя źródło źródłowy źródłowa kaynak bron källa zdroj zdrojová nguồn 출발지 출발지ip 원본 sip saddr ssrc orig origs originating originator initiator sender sending from mailfrom srcip fromhost'],
  [CLIENT_RANK.remote, 'remote rem entfernt distant peer r by with raddr remoteip rip remip foreign faddr fip external ext extern outside public wan end endpoint'],
]; // biome-ignore format: rows of words

/** Chinese and Japanese names have no blanks between their words. */
const PARTS_OF_NAMES: readonly (readonly [ClientRank, RegExp])[] = [
  [CLIENT_RANK.chosen, /用户名|账号|帐号|版本/],
  [CLIENT_RANK.other, /目的|目标|目標|服务器|服务端|服務器|伺服器|本地|本机|宛先|送信先|サーバ|^服务ip|网关|设备|受害/],
  [
    CLIENT_RANK.client,
    /客户端|客戶端|用户端|クライアント|访问|訪問|访客|来访|攻击|攻擊|登录|登陆|登入|ログイン|请求|請求|操作|用户/,
  ],
  [CLIENT_RANK.source, /(?<!资)源|来源|來源|送信元|接続元|发起|發起/],
  [CLIENT_RANK.remote, /远程|远端|遠端|对端|リモート|公网|外网/],
];

const RANK_OF = new Map<string, ClientRank>(
  WORDS.toReversed().flatMap(([rank, words]) => words.split(' ').map((word) => [word, rank] as const)),
);
const NAMES: ReadonlySet<string> = new Set('user usr username login account accountname ruser logname'.split(' '));
const PLAIN = new Set(
  'ip ips ipv4 ipv6 address addresses addr addrs ipaddress ipaddresses ipaddr ipaddrs host hosts hostname hostnames h value values text raw string list item network net computer workstation station name id port number num info data details detail properties v4 v6 i a x the for of is at on in and event first last adresse adresses direccion dirección indirizzo endereço адрес de du la le'.split(
    ' ',
  ),
);
const JOINED =
  /^(src|source|client|remote|caller|user|peer|orig|origin|dst|dest|destination|server|srv|local|loc|upstream|resp|nat|public|private|external|internal|device|dvc|sender|attacker|target|translated|mapped|gateway|proxy|host|login|login|rem|real|actor|visitor|requester|requestor|tunnel|assigned|observer|sensor|initiator|responder|downstream|from|to)(ip|ips|ipv4|ipv6|ipaddr|ipaddress|ipv4address|ipv6address|addr|address|host|hostname|name|nat|xlated|translated|mapped)+$/;

const NAME_MAX = 200;

/** Splits names such as `sourceIPv4Address`, `DestinationIP`, `src-ip` and `srcip` into lower-case words. */
function wordsOf(name: string): readonly string[] {
  return name
    .slice(0, NAME_MAX)
    .replace(/IPv([46])/gi, 'Ip')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== '')
    .flatMap((word) => {
      const joined = JOINED.exec(word);
      return joined === null || RANK_OF.has(word) ? [word] : [joined[1]!, joined[2]!];
    });
}

/** @returns undefined where the part says only that it is an address */
function rankOfPart(part: string): ClientRank | undefined {
  const words = wordsOf(part);
  const joined = words.join('');
  // nginx: the address in front of the one that it found.
  if (joined === 'realipremoteaddr') return CLIENT_RANK.other;
  if (/trueclient|realip|realclient|connectingip/.test(joined)) return CLIENT_RANK.edge;
  // Traefik uses this name for the other end of its connection, which may be a proxy; `ClientHost` is the
  // client.
  if (joined === 'clientaddr') return CLIENT_RANK.remote;
  if (/forwarded/.test(joined)) return CLIENT_RANK.forwarded;
  // The client chooses the name of a user; `user_ip` is not one.
  if (NAMES.has(joined) || joined.endsWith('username')) return CLIENT_RANK.chosen;
  const whole = RANK_OF.get(joined);
  if (whole !== undefined) return whole;
  const rank = PARTS_OF_NAMES.find(([, sign]) => sign.test(joined))?.[0];
  if (rank !== undefined) return rank;
  const ranks = words.flatMap((word) => RANK_OF.get(word) ?? []);
  for (const [rank] of WORDS) if (ranks.includes(rank)) return rank;
  return words.every((word) => PLAIN.has(word) || /^\d+$/.test(word)) ? undefined : CLIENT_RANK.unknown;
}

const known = new Recent<string, ClientRank>(10_000);

/** @param path parts from the outermost in, such as `source`, `ip`; dots separate further parts */
export function clientRank(path: readonly string[]): ClientRank {
  const key = path.join('.');
  let rank = known.get(key);
  if (rank === undefined) {
    rank = rankOfPath(key.split('.'));
    known.set(key, rank);
  }
  return rank;
}

const PARTS = 3;

/** The client writes its headers, apart from those that proxies are known by. */
function rankOfPath(parts: readonly string[]): ClientRank {
  const rank = rankOfParts(parts);
  const isHeader = parts.slice(0, -1).some((part) => /^(?:request_?|req_?)?headers?$/i.test(part));
  return isHeader && rank !== CLIENT_RANK.edge && rank !== CLIENT_RANK.forwarded ? CLIENT_RANK.chosen : rank;
}

function rankOfParts(parts: readonly string[]): ClientRank {
  const ranks = parts.toReversed().slice(0, PARTS).map(rankOfPart);
  const [last] = ranks;
  if (last !== undefined) return last;
  const index = ranks.findIndex((rank) => rank !== undefined && rank !== CLIENT_RANK.unknown);
  const outer = parts.at(-1 - index) ?? '';
  const hasAddress = /ip|addr/i.test(parts.at(-1) ?? '');
  // The client chooses the name of a user, and not the address.
  if (hasAddress && index > 0 && NAMES.has(wordsOf(outer).join(''))) return CLIENT_RANK.client;
  // In audit logs `origin.address` is whence a request came; a CDN's `OriginIP` is a server.
  if (index > 0 && outer === 'origin') return CLIENT_RANK.source;
  // Elastic's agents write the machine that they run on under `host`.
  if (index < 0 && parts.at(-2) === 'host') return CLIENT_RANK.other;
  return ranks[index] ?? (hasAddress ? CLIENT_RANK.address : CLIENT_RANK.unknown);
}

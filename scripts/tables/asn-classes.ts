/**
 * Writes data/asn-classes.json: well-known AS numbers by the use of their whole network.
 * Usage: `node scripts/tables/asn-classes.ts FEEDS_FOLDER SWOT_FOLDER DOTGOV_FILE`. The first folder holds
 * openasn's overrides (CC0), X4BNet's and brianhama's hosting lists (MIT) and O-X-L's lists (BSD-3-Clause) under
 * the names below. The second is JetBrains/swot (MIT: names of places of learning), the file current-full.csv of
 * cisagov/dotgov-data (CC0: holders of .gov domains).
 *
 * Own rows come from data/asn-own-rows.csv and win: AS numbers whose whole network has one use, from the operators'
 * own public descriptions (registry names, network pages, peering pages). A network that mixes uses (fixed and
 * mobile, access and transit) is left out: its usage stays unknown. A row must carry its name in the ASN
 * package's table, so that a number that changed hands, or was written wrongly, is refused and named.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const [folder, swotFolder, dotgovFile] = process.argv.slice(2);
if (folder === undefined || swotFolder === undefined || dotgovFile === undefined || !existsSync(folder))
  throw new Error('usage: node scripts/tables/asn-classes.ts FEEDS_FOLDER SWOT_FOLDER DOTGOV_FILE');

const names = new Map<number, string>();
for (const file of ['asn-ipv4.csv', 'asn-ipv6.csv'])
  for (const line of readFileSync(
    new URL(`../../node_modules/@ip-location-db/asn/${file}`, import.meta.url),
    'utf8',
  ).split('\n')) {
    const match = /^[^,]*,[^,]*,(\d+),"?([^"]*)"?$/.exec(line.trim());
    if (match) names.set(Number(match[1]), match[2]!);
  }

type Row = [asn: number, kind: string, name: string, why: string];
const rows = new Map<number, Row>();
const refused: string[] = [];
const add = (asn: number, kind: string, why: string): void => {
  const name = names.get(asn);
  if (name !== undefined && !rows.has(asn)) rows.set(asn, [asn, kind, name, why]);
};

const lines = (file: string): string[] => readFileSync(join(folder, file), 'utf8').split('\n');
const asnsOf = (file: string): number[] =>
  lines(file).flatMap((line) => (/^(?:AS)?(\d+)\b/.exec(line) ? [Number(/^(?:AS)?(\d+)/.exec(line)![1])] : []));
const eachHostingList = [
  'feeds/current/hosting/x4bnet-datacenter-asn.txt',
  'feeds/current/hosting/bad-asn-list.csv',
  'geo/asn/oxl-asn-kind_hosting.csv',
  'geo/asn/openasn-hosting_extra.txt',
].map((file) => new Set(asnsOf(file)));
const hostingLists = eachHostingList.reduce((all, list) => all.union(list));
/** A registered name that itself names the trade, or one of the clouds. */
const hostingName =
  /cloud|host|server|\bvps|data ?cent|amazon|microsoft|alibaba|tencent|volcano|byteplus|digitalocean|linode|leaseweb|liquid web|sakura internet|zenlayer/i;
/** A network is hosting only when a second source says so: the number of a telecom operator was once an own row too. */
const isAgreed = (asn: number, name: string): boolean => hostingLists.has(asn) || hostingName.test(name);

const ownRows = readFileSync(new URL('../../data/asn-own-rows.csv', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');
for (const [kind, number, pattern] of ownRows.slice(1).map((row) => row.split(',') as [string, string, string])) {
  const asn = Number(number);
  const name = names.get(asn);
  if (name === undefined || !new RegExp(pattern, 'i').test(name))
    refused.push(`${kind} ${asn}: expected ${pattern}, registered to ${name ?? 'no announced holder'}`);
  else if (kind === 'hosting' && !isAgreed(asn, name))
    refused.push(`${kind} ${asn}: no second source, registered to ${name}`);
  else add(asn, kind, 'own: operator’s public description');
}

const openasn = (file: string): number[] =>
  lines(`geo/asn/openasn-${file}.txt`).flatMap((line) =>
    /^AS(\d+)/.exec(line) ? [Number(/^AS(\d+)/.exec(line)![1])] : [],
  );
for (const asn of openasn('enterprise_gateway')) add(asn, 'gateway', 'openasn enterprise_gateway (CC0)');
// Not mobile alone: China Mobile's networks carry fixed lines too, AIS's 133481 is its fibre service.
const mixed = new Set([133481, 29571]);
for (const asn of openasn('mobile_carrier'))
  if (!mixed.has(asn) && !/china mobile comm|^china mobile$|china mobile international/i.test(names.get(asn) ?? ''))
    add(asn, 'mobile', 'openasn mobile_carrier (CC0)');
for (const asn of openasn('eyeball_confirm')) add(asn, 'residential', 'openasn eyeball_confirm (CC0)');
for (const asn of openasn('cdn'))
  if (
    /cloudflare|fastly|akamai|bunny|limelight|edgecast|edgio|incapsula|imperva|cdn77|stackpath|highwinds|sucuri|netflix/i.test(
      names.get(asn) ?? '',
    )
  )
    add(asn, 'cdn', 'openasn cdn (CC0)');

// Two independent hand-kept lists agree.
const x4b = new Set(asnsOf('feeds/current/hosting/x4bnet-datacenter-asn.txt'));
const listed = new Set(['feeds/current/hosting/bad-asn-list.csv', 'geo/asn/oxl-asn-kind_hosting.csv'].flatMap(asnsOf));
for (const asn of openasn('hosting_extra'))
  if (x4b.has(asn) || listed.has(asn)) add(asn, 'hosting', 'openasn hosting_extra and another list agree (CC0)');
const access =
  /telecom|broadband|cable|wireless|mobile|cellular|university|college|school|ministry|government|bank|chinanet|china mobile|china unicom|telefonica|communications? corporation/i;
for (const line of lines('feeds/current/hosting/bad-asn-list.csv')) {
  const asn = Number(/^(\d+),/.exec(line)?.[1]);
  if (x4b.has(asn) && !access.test(names.get(asn) ?? ''))
    add(asn, 'hosting', 'X4BNet datacenter and bad-asn-list agree (MIT, MIT)');
}
const academic =
  /universit|univerzit|college|institute of technology|school|academ|education|polytech|hochschule|universidad|universidade|facult|research and education|\bISD\b/i;
for (const line of lines('geo/asn/oxl-asn-kind_education.csv')) {
  const asn = Number(/^(\d+),/.exec(line)?.[1]);
  if (academic.test(names.get(asn) ?? '')) add(asn, 'education', 'O-X-L education (BSD-3-Clause), name agrees');
}

// O-X-L knows access providers from their own descriptions. Left out are those that any list calls something
// else, and by name: other trades, carriers' carriers, all of mainland China, and groups
// that run mobile networks under the same number, whose addresses may be either.
const providers = gunzipSync(readFileSync(join(folder, 'geo/asn/oxl-asn-kind_isp.csv.gz')))
  .toString('utf8')
  .split('\n');
const otherTrade =
  /hosting|cloud|server|data ?cent|universit|college|school|ministry|government|research|bank|backbone|transit|carrier|satellite|exchange|\bcdn\b|telehouse|selectel|messenger|level 3|lumen|arelion|cogent|\bgtt\b|sparkle|british telecom|intel corp|state of|state tele|washington state|department|county|city of|infrastructure|k-?12|k-20|business|enterprise|empresariales|wholesale|solutions|global|international|television ltd|telnyx|ringsquared|mettel|granite|americatel|voip|voice|power|electric|utilities|schiphol|systems|consult|gmbh & co kg|technolog|tech\b|data\b|exatel|quantcom|ecotel|exercito|china|chinanet|unicom|beijing|shanghai|guangdong|daqing|cernet/i;
const mobileGroup =
  /mobile|cellular|vodafone|orange|telef[oó]|telekom|telecom(?!municat)|telia|telenor|tele2|t-mob|digicel|claro|movistar|etisalat|ooredoo|zain|\bmtn\b|\bmts\b|airtel|bharti|bharat sanchar|singtel|optus|telus|rogers|bell |swisscom|proximus|kpn|\bsfr\b|bouygues|wind tre|turkcell|vnpt|viettel|jio|telstra|chunghwa|softbank|kddi|ntt|verizon|at&t|itissalat|\bte-as\b|indosat|philippine long|sunrise|eastone|telkom|taiwan fixed|emirates|telgua|unitel|saskatchewan|odido|polkomtel|telemach|norlys|kar-tel|emtel|entel|beyon|jamii|digitel|yettel|nuevatel|hutchison|mobi|veon|\ba1\b|alestra|comnets|lycatel|lyse|bite|elisa|dna |play|cosmote|altice|nos com|meo|iliad|free sas|charter of|three|telemor|iran cell|wana|pegaso|teletalk|paltel|zamtel|sonatel|oman tele|ote sa/i;
const asnsOfProviders = providers.flatMap((line) => (/^\d/.test(line) ? [Number.parseInt(line, 10)] : []));
const listedAsOther = new Set([...hostingLists, ...asnsOf('geo/asn/oxl-asn-kind_education.csv')]);
for (const asn of asnsOfProviders) {
  const name = names.get(asn) ?? '';
  if (!listedAsOther.has(asn) && !otherTrade.test(name) && !mobileGroup.test(name))
    add(asn, 'residential', 'O-X-L isp (BSD-3-Clause), name agrees');
}

// A registered name that is that of a place of learning, in a list kept by hand.
const learning =
  /universit|univerzit|uniwersytet|college|institute? (?:of|de|for) (?:\w+ )*(?:technolog|science)|school|academ|akadem|polyte[ck]|polite[ck]|hochschule|universidad|facult|\bISD\b|education|educac|instituto federal|gymnasium|lyc[eé]e|egyetem|yliopisto|h[oø]gskol|sveu[cč]ili|vysok[ae]|\bcegep\b|\bSUNY\b|military institute|\bBOCES\b|intermediate unit/i;
const besideLearning =
  /minist|department|\bdept\b|hospital|medical cent|health|clinic|club|athletic|savings|association|union|foundation|agency|publish|press\b/i;
const schools = new Set(namesOf(swotFolder));
const beginnings = new Set([...schools].flatMap((name) => beginningsOf(name)));
const schoolsNamed = new Set([...schools].filter((name) => learning.test(name) && name.includes(' ')));
for (const [asn, name] of names) {
  const plain = plainName(name);
  if (!learning.test(name) || besideLearning.test(name) || hostingLists.has(asn)) continue;
  if (schools.has(plain) || beginnings.has(plain) || beginningsOf(plain).some((part) => schoolsNamed.has(part)))
    add(asn, 'education', 'JetBrains/swot (MIT) and the registered name agree');
}

// A registered name that is that of a holder of a .gov domain, which only authorities of the United States get.
const authority =
  /\bgovern|minist|\bcounty\b|\bcity\b|\bstate\b|\bdep(?:artmen)?t\b|municip|council|parliament|senate|legislat|judicia|judicial|assembly|federal|borough|\btown\b|village|commonwealth|administration|naval|navy|army|air force|defen[cs]e|agency|cabinet|court\b|police|public safety|national laborator|bureau|commission|district|authority|office of/i;
const besideAuthority =
  /utilit|electric|light|power|water|fib(?:er|re)|broadband|cable|tele(?:phone|com|graph)|communications|internet|wireless|el reno|town of sterling|universit|college|hospital|health|\b(?:llc|inc|ltd|remc|emc)\b|coop|solutions|bank|educational service/i;
const holders = Map.groupBy(
  readFileSync(dotgovFile, 'utf8')
    .split('\n')
    .slice(1)
    .map((line) => line.split(',')),
  ([, , holder = '']) => plainName(holder),
);
for (const [asn, name] of names) {
  const plain = plainName(name);
  const parts = holders.has(plain) ? [plain] : beginningsOf(plain).filter((part) => holders.has(part));
  const kinds = parts.flatMap((part) => holders.get(part)!.map(([, kind = '']) => kind));
  if (kinds.length === 0 || besideAuthority.test(name)) continue;
  if (learning.test(name) && !besideLearning.test(name))
    add(asn, 'education', 'dotgov-data (CC0) and the registered name agree');
  else if (authority.test(name) || (parts[0] === plain && kinds.some((kind) => kind.startsWith('Federal'))))
    add(asn, 'government', 'dotgov-data (CC0) and the registered name agree');
}

// A registered name of the trade, where five /24s and one of fifty addresses have reverse names of subscribers'
// lines. Cable networks carry no mobile lines: two such /24s are enough, or O-X-L's list of providers.
const cable = /\bcable|kabel|\bcatv\b|cablo|\w*cabo\b/i;
const accessTrade =
  /fib(?:re|er|ra)|\bftth\b|glasvezel|broadband|banda larga|dsl\b|telephone|\bcoop|telco\b|\binternet\b|provedor|telecom|communicat/i;
const noAccess =
  /cabo verde|angola cables|cable (?:&|and) wireless|prysmian|main one|lightpath|submarine|omani qatari|manufactur|systems usa|wireless|mobile|cellular|marketing/i;
const dynamic = dynamicNets();
for (const [asn, name] of names) {
  const nets = dynamic.nets.get(asn)?.size ?? 0;
  if (listedAsOther.has(asn) || noAccess.test(name)) continue;
  if (cable.test(name)) {
    if (nets >= 2 || asnsOfProviders.includes(asn))
      add(asn, 'residential', 'cable in the registered name, and O-X-L names it or its lines (BSD-3-Clause)');
  } else if (accessTrade.test(name) && !otherTrade.test(name) && !mobileGroup.test(name) && nets >= 5)
    if (nets * 256 >= dynamic.space.get(asn)! / 50)
      add(asn, 'residential', 'trade in the registered name, and O-X-L names its lines (BSD-3-Clause)');
}

// Authorities and places of learning have several numbers under one name.
for (const kind of ['education', 'government']) {
  const known = new Set([...rows.values()].filter((row) => row[1] === kind).map((row) => row[2]));
  for (const [asn, name] of names)
    if (known.has(name)) add(asn, kind, `same registered name as another number of ${kind}`);
}

// Hosters have several numbers and lists know the largest: those of the same registered name follow one that
// three lists name. Not so for companies of more than one trade, nor where another number of that name has
// another class.
const severalTrades = /^(google|microsoft|amazon|oracle|aruba s\.p)/i;
const ofOtherUse = [...rows.values()].filter(([, kind]) => kind !== 'hosting').map(([asn]) => asn);
const otherNames = new Set([...ofOtherUse, ...asnsOfProviders].map((asn) => names.get(asn)));
const hosters = new Set(
  [...rows.values()]
    .filter(([asn, kind]) => kind === 'hosting' && eachHostingList.filter((list) => list.has(asn)).length >= 3)
    .map(([, , name]) => name)
    .filter((name) => !otherNames.has(name) && !severalTrades.test(name)),
);
for (const [asn, name] of names)
  if (hosters.has(name)) add(asn, 'hosting', 'same registered name as a number that three hosting lists name');

/** The words of a name that tell it from another. */
function plainName(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/\bdept\b/g, 'department')
    .replace(/\bu\. ?s\.|\bunited states\b/g, '')
    .replace(/[^a-z0-9]+/g, ' ')
    .replace(/\b(?:the|of|and|at|de|in|for|inc|llc)\b/g, '')
    .replace(/ +/g, ' ')
    .trim();
}

/** Its first two words, first three, and so on, without the whole. */
function beginningsOf(plain: string): string[] {
  const words = plain.split(' ');
  return words.slice(2).map((_, i) => words.slice(0, i + 2).join(' '));
}

/** Each file of the folder is a domain, and its lines are names of its holder. */
function namesOf(swot: string): string[] {
  return readdirSync(join(swot, 'lib/domains'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8').split('\n'))
    .map((line) => plainName(line))
    .filter((name) => name !== '');
}

/** The /24s of each AS number in which O-X-L saw reverse names of dial-up lines, and the addresses it announces. */
function dynamicNets(): { nets: Map<number, Set<number>>; space: Map<number, number> } {
  const ranges = readFileSync(new URL('../../node_modules/@ip-location-db/asn/asn-ipv4.csv', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split(','))
    .map(([start, end, asn]) => ({ start: addressNumber(start!), end: addressNumber(end!), asn: Number(asn) }));
  const space = new Map<number, number>();
  for (const { start, end, asn } of ranges) space.set(asn, (space.get(asn) ?? 0) + end - start + 1);
  const nets = new Map<number, Set<number>>();
  const listed = ['net', 'ip'].flatMap((kind) =>
    gunzipSync(readFileSync(join(folder!, `feeds/current/dynamic/oxl-${kind}-kind_dynamic.txt.gz`)))
      .toString()
      .split('\n'),
  );
  const texts = listed.flatMap((line) => /^(?:\d+\.){3}\d+/.exec(line)?.[0] ?? []);
  let at = 0;
  for (const address of texts.map(addressNumber).sort((a, b) => a - b)) {
    while (at < ranges.length && ranges[at]!.end < address) at++;
    const range = ranges[at];
    if (range === undefined || range.start > address) continue;
    nets.set(range.asn, (nets.get(range.asn) ?? new Set()).add(Math.floor(address / 256)));
  }
  return { nets, space };
}

function addressNumber(text: string): number {
  return text.split('.').reduce((sum, part) => 256 * sum + Number(part), 0);
}

const sorted = [...rows.values()].sort((a, b) => a[0] - b[0]);
writeFileSync(
  new URL('../../data/asn-classes.json', import.meta.url),
  `{"generated": "by scripts/tables/asn-classes.ts, never edited by hand",
  "origin": "own rows (CC0); openasn overrides (CC0); X4BNet/lists_vpn and brianhama/bad-asn-list (MIT) where both agree; O-X-L/risk-db-lists education, isp and dynamic reverse names (BSD-3-Clause); JetBrains/swot (MIT) and cisagov/dotgov-data (CC0) where the registered name agrees",
  "version": "2026-08-22",
  "asns": [
${sorted.map((row) => `    ${JSON.stringify(row)}`).join(',\n')}
  ]
}
`,
);
if (refused.length > 0) process.stderr.write(`refused:\n${refused.join('\n')}\n`);
const counts = Map.groupBy(sorted, (row) => row[1]);
process.stdout.write(
  `${sorted.length} AS numbers: ${[...counts].map(([kind, list]) => `${kind} ${list.length}`).join(', ')}\n`,
);

import { type Said, said } from '../texts/said.ts';

/** Words of nft's own language, measured with nft 1.0.6, and those that newer ones added. A script that names a table so does not load. */
const NFT_WORDS: ReadonlySet<string> = new Set(
  `
accept add ah all and arp bridge cgroup chain comment comp constant continue counter cpu create ct day dccp
define delete describe destroy device devices dnat drop dst dup dynamic ecn element elements eq esp ether exists
expires export exthdr fib flags flow flowtable flush frag fwd geneve get goto gre gretap gt handle hbh hook hour
ibriport ibrname icmp icmpv6 igmp iif iifgroup iifname iiftype import include index inet insert interval ip ip6
ipsec jhash jump last limit list log lshift lt map mark masquerade meta meter mh missing monitor netdev nftrace
not notrack numgen obriport obrname offload oif oifgroup oifname oiftype or osf pkttype policy position priority
queue quota random redefine redirect reject rename replace reset return rshift rt rt0 rt2 rtclassid rule ruleset
sctp secmark set size skgid skuid snat socket srh symhash synproxy table tcp th time timeout tproxy type typeof
udp udplite undefine update vlan vmap vxlan xor xt
`
    .trim()
    .split(/\s+/),
);

/** Returns why a name is none for a list and the sets that an nft file makes of it. */
export function setNameFault(name: string): Said | undefined {
  if (!/^[a-z][a-z0-9_]{0,23}$/.test(name))
    return said('A list is named with a lower-case letter, then letters, digits and underscores, at most 24.');
  if (NFT_WORDS.has(name)) return said('nft keeps this name for itself; choose another, such as my_list.');
  return undefined;
}

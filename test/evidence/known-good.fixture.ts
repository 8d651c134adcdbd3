/**
 * GitHub Pages, Googlebot, the Ubuntu archive, a CDN's edge, two mail servers, Meta's crawler, two resolvers,
 * a root name server, private relay, time servers of Google, Apple and Cloudflare.
 */
export const EXAMPLES: Readonly<Record<string, string>> = {
  '185.199.108.153': 'github',
  '66.249.66.193': 'googlebot',
  '185.125.190.83': 'canonical',
  '138.199.33.53': 'cdn-bunny',
  '103.168.172.216': 'mail-receivers',
  '194.25.134.84': 'mail-senders',
  '173.252.107.113': 'meta-crawlers',
  '1.1.1.1': 'dns-resolvers',
  '8.8.8.8': 'dns-resolvers',
  '198.41.0.4': 'dns-roots',
  '2001:503:ba3e::2:30': 'dns-roots',
  '172.224.226.1': 'apple-private-relay',
  '216.239.35.0': 'google',
  '2001:4860:4806:4::': 'google',
  '17.253.34.123': 'apple',
  '162.159.200.1': 'cdn-cloudflare',
  '2606:4700:f1::123': 'cdn-cloudflare',
};

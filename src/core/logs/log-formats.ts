/** A log of such a format shows by its form where the client stands. */
export interface LogFormat {
  readonly name: string;
  /** Recognises a message, preceded by `program: ` where syslog names one. */
  readonly is: RegExp;
  /**
   * The first match has the client in its group of that name: an address, or a list of proxies. A line
   * without a match is about no client.
   */
  readonly client: readonly RegExp[];
  /**
   * Finds a list of proxies at the end; it counts where the client in front is private, and so a proxy of the
   * server's own.
   */
  readonly forwarded?: RegExp;
  /**
   * The format has more kinds of lines than are listed, so a line without a match is searched like any text.
   */
  readonly isOpen?: true;
}

const QUAD = String.raw`\d{1,3}(?:\.\d{1,3}){3}`;
/** Never matches the end or the beginning of a longer number. */
const ADDRESS = String.raw`(?:(?<![\w.])${QUAD}|(?:(?<![\w.:])|(?<=ipv6:))(?:[\da-f]{0,4}:){2,7}(?:${QUAD}|[\da-f]{0,4}))(?!\w|\.\d)`;
/**
 * A client may repeat what a pattern begins with, so only the first `.*` of a line runs on; others, and words of
 * patterns that begin anywhere, have bounds.
 */
const bounded = (text: string): string =>
  text
    .replace(/^(?=\.\*)/, '^')
    .replace(text.startsWith('^') ? /(?<!^\^)\.\*/g : /(?:(?<!^)\.|\\[Sw]|\[\^[^\]]+\])[*+]/g, (run) =>
      run.endsWith('*') ? `${run.slice(0, -1)}{0,200}` : `${run.slice(0, -1)}{1,200}`,
    );
/** Patterns write `<A>` for an address and `<LIST>` for a list of proxies. */
const pattern = (text: string): RegExp =>
  new RegExp(
    bounded(text)
      .replaceAll(
        '<LIST>',
        String.raw`(?<client>\[?${ADDRESS}\]?(?::\d{1,5})?(?:, ?(?:\[?${ADDRESS}\]?(?::\d{1,5})?|unknown|-))*)`,
      )
      .replaceAll('<A>', String.raw`(?:\[(?:ipv6:)?)?(?<client>${ADDRESS})(?:%\w+)?\]?`),
    'i',
  );
const row = (name: string, is: string, ...client: readonly string[]): LogFormat => ({
  name,
  is: pattern(is),
  client: client.length === 0 ? [pattern(is)] : client.map(pattern),
});
const open = (name: string, is: string, ...client: readonly string[]): LogFormat => ({
  ...row(name, is, ...client),
  isOpen: true,
});

/** Lines of a program or kind that are about no client, whatever address they name. */
const none = (name: string, is: string): LogFormat => ({ name, is: pattern(is), client: [] });

const TIME = String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?`;
const ACCESS_TIME = String.raw`\[\d\d\/[a-z]{3}\/\d{4}:\d\d:\d\d:\d\d(?:\.\d+)?(?: [+-]\d{4})?\]`;
const NEXT = '[ ,;|]{1,3}';
const METHOD = '(?:GET|POST|PUT|HEAD|DELETE|OPTIONS|PATCH|CONNECT|PROPFIND)';

/** Matches the last quoted text of an access log where it is a list of addresses. */
const FORWARDED = pattern('"<LIST>"[^"]*$');

/**
 * One row a format; the first match decides. Text that a client can write (user names, HELO, paths, user
 * agents) must not stand where a pattern can begin or end. CONTRIBUTING.md has the recipe;
 * log-formats.test.ts has a line of each.
 */
// biome-ignore format: one row a format
export const LOG_FORMATS: readonly LogFormat[] = [
  none('Postfix, delivery', String.raw`^(?:postfix\S*: )?(?:\w{6,20}: (?:to=<|host \S+ (?:said|refused))|(?:Unt|T)rusted TLS connection established to )`),
  none('Exim, delivery', String.raw`^(?:exim\d?: )?(?:${TIME} )?(?:\[\d+\] )?\w{6}-\w{6,11}-\w{2,4} (?:[-=]>|==|\*\*|>>) `),
  row('sshd', '^(?:sshd|dropbear)(?:-session|-auth)?: ',
    String.raw`: (?:error: |fatal: )?(?:Received disconnect from|Disconnected from|Connection (?:closed|reset) by|Connection from|Timeout before authentication for(?: connection from)?|Did not receive identification string from|Unable to negotiate with|Accepted \S+ for \S+ from|Postponed \S+ for \S+ from|Read error from remote host|reverse mapping checking getaddrinfo for \S+) <A>(?=[\s:\]]|$)`,
    String.raw`ruser=\S* rhost=<A>(?=\s|$)`,
    String.raw`^.* from <A> port \d+(?: ssh\d?)?(?: \[preauth\]$|: |$)`,
    String.raw`^.* (?:from|by|with|user \S*|authenticating user .*) <A> port \d+(?:[ :]|$)`,
    String.raw`refused connect from .* ?\(<A>\)$`,
    String.raw`: Address <A> maps to \S+, but this does not map back`,
    String.raw`^.* from <?<A>(?::\d+)?>?(?=[\s:,;]|$)`,
    String.raw`(?:user|invalid user) .* <A> port \d+`,
    String.raw`: Login_\w+ - - .* ip=<A> auth=`),
  row('PAM', String.raw`authentication failure; .*\bruser=`, String.raw`\bruser=\S* rhost=<A>(?=  user=|\s*$)`, String.raw`\bruser=\S* .*rhost=<A>(?=\s|$)`),
  none('about no client', String.raw`^(?:sudo|su|cron|crond|CROND|anacron|atd|chronyd|ntpd|ntpdate|systemd[\w-]*|NetworkManager|dhclient|dhcpcd|avahi-daemon|Keepalived\w*|dockerd|containerd|kubelet|kube-proxy|bash|ansible[\w-]*|puppet[\w-]*|salt-\w+): |^(?:\S+ ){0,5}LOG: +listening on |(?:^|: )type=(?:EXECVE|PROCTITLE|PATH|USER_CMD|SOCKADDR) `),
  row('FreeRADIUS', String.raw`^Auth: (?:\(\d+\) +)?(?:Login|Invalid user|Multiple logins|rlm_)`, String.raw`^.* cli <A>\)`),
  row('Dovecot', String.raw`^dovecot(?:/\S+)?: |^(?:Info|Warn(?:ing)?|Error): (?:auth|(?:imap|pop3)-login)\b|^(?:imap|pop3|submission|managesieve)-login: |^auth(?:-worker)?(?:\(.*\))?: |\bauth(?:-worker)?\([^ ]*\): Info: |\b(?:imap|pop3|submission|managesieve)-login: `,
    String.raw`^.*[ ,:]rip=<A>(?=[,\s]|$)`,
    String.raw`ruser=\S* rhost=<A>(?=\s|$)`,
    String.raw`\b(?:auth|userdb|passdb|passwd-file|pam|sql|ldap|shadow|passwd|login|plain|cram-md5|static|dict|bsdauth|lua|oauth2)\(.*,<A>(?:,[^,()]*)*\)`),
  row('Postfix', String.raw`^postfix(?:-[\w-]+)?/|^warning: hostname \S+ (?:does not resolve|verification)`,
    String.raw`: COMMAND \w+ LIMIT from <A>`,
    String.raw`: statistics: max .* for \([^()]*:<A>\)`,
    String.raw`: (?:NOQUEUE: |\w+: )?(?:(?:dis|lost )?connect(?:ion)?(?: after \S+(?: \(\S+ bytes\))?)? from|(?:milter-)?(?:reject|discard|filter|warn|hold)(?:_warning)?: \S+(?: \S+)? from|client=|too many errors after \S+(?: \(\S+ bytes\))? from|timeout after \S+(?: \(\S+ bytes\))? from|improper command pipelining after \S+ from|Anonymous TLS connection established from|(?:Un)?trusted TLS connection established from|SSL_accept error from|warning: (?!hostname )|setting up TLS connection from|PASS (?:OLD|NEW)|PREGREET \d+ after \S+ from|HANGUP after \S+ from|CONNECT from|DNSBL rank \d+ for|WHITELISTED|ALLOWLISTED|BLACKLISTED|DISCONNECT)\s?[^\s\[]*<A>`,
    String.raw`\bwarning: hostname \S+ (?:does not resolve to address|verification failed.*) <A>`,
    String.raw` from \S*<A>(?=[:;,\s]|$)`),
  row('sendmail', String.raw`^(?:sendmail|sm-mta|sm-acceptingconnections|sm-msp-queue)(?:/\S+)?: `,
    String.raw`^(?!\S+ (?:\w+: )?to=).*[ ,]relay=[^,]*?<A>(?: \(may be forged\))?(?:,|$)`,
    String.raw`(?:rejecting commands|lost input channel|did not issue|AUTH failure|POSSIBLE ATTACK).* from \S* ?<A>`,
    String.raw`^\S+ (?:\w+: )?\S* ?<A>(?: \(may be forged\))?:? (?:did not issue|Possible SMTP RCPT flood|lost)`),
  row('Exim', String.raw`(?:^| )H=\(?\S|authenticator failed for|\bSMTP (?:call|connection|protocol|command|data)\b|no host name found for IP address|rejected (?:RCPT|EHLO|HELO|MAIL|AUTH|connection)|\bauth_\w+ .*authenticator`,
    String.raw`SMTP protocol error in ".*" H=(?:(?!\()\S+ )?(?:\(\S*\) )?<A>`,
    String.raw`\bauthenticator failed for (?:(?!\()\S+ )?(?:\(\S*\) )?<A>`,
    String.raw`\bH=(?:(?!\()\S+ )?(?:\(\S*\) )?<A>`,
    String.raw`\bSMTP (?:call|connection|protocol|command|data).*? from (?:(?!\()\S+ )?(?:\(\S*\) )?<A>`,
    'no host name found for IP address <A>',
    String.raw` from (?:(?!\()\S+ )?(?:\(\S*\) )?<A>`),
  row('FreeSWITCH', String.raw`\bsofia(?:_\w+)?\.c:|\bswitch_\w+\.c:|\bmod_\w+\.c:`, String.raw`.* from (?:ip )?<A>(?=[\s:.,]|$)`, '.* <A>'),
  row('Asterisk', String.raw`^asterisk: |\b(?:NOTICE|WARNING|ERROR|SECURITY|VERBOSE)(?:\[[\w-]+\])+:? (?:\S+: |.*\.c: )|SecurityEvent="`,
    String.raw`RemoteAddress="IPV[46]/\w+/<A>/\d+"(?:,\w+="[^"]*")*$`,
    String.raw`RemoteAddress="IPV[46]/\w+/<A>/`,
    String.raw`.* failed for '<A>(?::\d+)?'`,
    String.raw`Call \(\w+:<A>(?::\d+)?\) to extension`,
    `hacking attempt detected '<A>`,
    String.raw`Call from '.*?' \(<A>(?::\d+)?\) to extension`,
    String.raw`(?:: |Host )<A> (?:failed|tried)\b`,
    String.raw`\(Host: <A>\)`,
    String.raw`.*from (?:IP )?'?<A>(?::\d+)?'?`,
    String.raw`\(?<A>(?::\d+)?\)? (?:failed|tried|to authenticate)`),
  row('xrdp', String.raw`^xrdp(?:-sesman)?: |\[(?:INFO|DEBUG|WARN|ERROR|CORE)\s*\] (?:AUTHFAIL|Socket|A connection|connection received|An established)`,
    String.raw`(?:AUTHFAIL: .*|\b)ip=<A>(?: |$)(?!.*\bip=)`,
    '(?:connection (?:received )?from|received from:?|closed to endpoint:) <A>'),
  row('Apache error', String.raw`\[(?:[\w-]*:)?(?:emerg|alert|crit|error|warn|notice|info|debug|trace\d)\] (?:\[pid \d+(?::tid \d+)?\] )?.*?\[(?:client|remote) [\da-f:.[]`, String.raw`\[(?:client|remote) <A>(?::\d+)?\]`),
  row('nginx error', String.raw`\[(?:emerg|alert|crit|error|warn|notice|info|debug)\] \d+#\d+: `, String.raw`^.*?, client: <A>, server: [^"]*?, request: "[^"]*"(?:, \w+: "[^"]*")*$`, ', client: <A>', String.raw`\bclient <A>`),
  row('HAProxy', String.raw`^(?:haproxy: )?(?:\[\w+\] )?\[?${ADDRESS}\]?:\d+ ${ACCESS_TIME} |^haproxy: Connect from `, String.raw`^(?:haproxy: )?(?:Connect from )?<A>:\d+ `),
  { ...row('access log', String.raw`^(?:[\w./-]+: )?(?:\S+ +\| )?(?:\S+ )?(?:"|\[)?${ADDRESS}.* ${ACCESS_TIME} "`,
    String.raw`^(?:[\w./-]+: )?(?:\S+ +\| )?(?:\S+ )?"?<LIST>"? \S+ (?:"[^"]*"|[^"\[]*?) ?${ACCESS_TIME} "`), forwarded: FORWARDED },
  row('Envoy', String.raw`^\[${TIME}\] "(?:\S+ \S+ HTTP/[\d.]+|- - -)" \d+ `, '^[^"]*"[^"]*" .*? "<LIST>" "(?!")[^"]*" "[^"]*" "', String.raw`" \S+ \S+ \S+ <A>:\d+ \S+ \S+$`),
  row('AWS load balancer', String.raw`^(?:https?|h2|grpcs|wss?) ${TIME} \S+ <A>:\d+ `),
  row('AWS network load balancer', String.raw`^tls \S+ ${TIME} \S+ \S+ <A>:\d+ `),
  row('AWS classic load balancer', String.raw`^${TIME} \S+ <A>:\d+ (?:\S+:\d+|-) -?[\d.]+ -?[\d.]+ -?[\d.]+ `),
  row('AWS flow log', String.raw`^\d \d{12} eni-\w+ <A> ${ADDRESS} `),
  row('S3 access log', String.raw`^[\da-f]{64} \S+ ${ACCESS_TIME} <A> `),
  row('Zeek', String.raw`^\d{10}\.\d{6}\tC\w{10,20}\t<A>\t\d+\t${ADDRESS}\t\d+\t`),
  row('tcpserver', String.raw`^(?:@[\da-f]{24} )?tcpserver: `, String.raw`tcpserver: (?:ok|deny) \d+ [^:]*:${ADDRESS}:\d+ [^:]*:<A>:`, String.raw`tcpserver: pid \d+ from <A>$`),
  row('Squid', String.raw`^(?:\(?squid(?:-\d+)?\)?: )?\d{9,10}\.\d{3} +\d+ <A> [A-Z_]+/\d+ `),
  row('IIS', String.raw`^${TIME} (?:\S+ ){0,2}${ADDRESS} ${METHOD} \S+ \S+ \d+ \S+ <A> `),
  row('Windows firewall', String.raw`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (?:ALLOW|DROP|OPEN|OPEN-INBOUND|CLOSE) [A-Z\d]+ <A> `),
  row('Exchange', String.raw`^${TIME},[^,]*,(?:[\da-f]+,)?\d+,(?:\S+:\d+)?,\S*:\d+,`, String.raw`^${TIME},[^,]*,(?:[\da-f]+,)?\d+,(?:\S+?:\d+)?,<A>:\d+,`),
  row('pf filterlog', '^filterlog: ', '^filterlog: (?:[^,]*,){8}4,(?:[^,]*,){9}<A>,', '^filterlog: (?:[^,]*,){8}6,(?:[^,]*,){6}<A>,'),
  row('Palo Alto', String.raw`^(?:\S+ ){0,3}\d*,[\d/ :-]+,\w*,(?:TRAFFIC|THREAT|DECRYPTION|TUNNEL|GLOBALPROTECT),`, ',GLOBALPROTECT,(?:[^,]*,){11}<A>,', ',(?:TRAFFIC|THREAT|DECRYPTION|TUNNEL),[^,]*,[^,]*,[^,]*,<A>,'),
  open('Cisco ASA', String.raw`(?:%|\b)(?:ASA|FTD|PIX|FWSM)-(?:\w+-)?\d-\d+`,
    String.raw`Built outbound \w+ connection \d+ for .* to [^\s:]*:?<A>[/(\s]`,
    String.raw`Teardown \w+ connection \d+ for [^\s:]+:\S+?/\d{1,3}\b.* to [^\s:]+:<A>/\d{4,5}\b`,
    String.raw`(?:Built inbound|Teardown|Built) (?:local-host|\w+ connection \d+ for) [^\s:]+:<A>[/\s]`,
    String.raw`(?:Built|Teardown) (?:(?:in|out)bound )?ICMP connection for faddr <A>[/(\s]`,
    String.raw`(?:denied|permitted|est-allowed) \w+ (?:for user '[^']*' )?\S+/<A>\(`,
    String.raw`\bsrc [^\s:]+:<A>`,
    '(?:Group = .*, )?Username = .*?, IP = <A>',
    '(?:user = .*? : )?user IP = <A>',
    String.raw`\bfrom \(?(?:[^\s:/]+[:/])?<A>`),
  row('Cisco IOS list', String.raw`%(?:SEC|IPV6_ACL|FMANFP|IOSXE)[\w-]*-\d-\w*ACCESSLOG`, String.raw`(?:denied|permitted) \S+ <A>(?:\(| |,)`),
  open('NetScaler', String.raw`(?:^|: )(?:default )?(?:SSLVPN|AAA(?:TM)?|TCP|SSLLOG|GUI|CLI) [A-Z_]+ \d+ \d* ?: `, '^.* Client_ip <A> ', '^.* Remote_ip <A> ', '^.* ClientIP <A> ', String.raw` Context \S+@<A> - `, ' Source <A>:'),
  open('Cisco gateway', ` (?:req|login|logout):${ADDRESS} user:`, ' (?:req|login|logout):<A> user:'),
  row('F5 connection', String.raw`\bclientside \(`, String.raw`\bclientside \(<A>:`),
  open('Artifactory', String.raw`\[(?:DENIED|ACCEPTED) [A-Z]+\]`, ' for (?:client : )?.* ?/ ?<A>'),
  row('Go connection', String.raw`\b(?:read|write) (?:tcp|udp)[46]? \S+:\d+->`, String.raw`\b(?:read|write) (?:tcp|udp)[46]? \S+:\d{1,4}-><A>:\d{5}\b`, ' from <A>'),
  row('Swift', String.raw`^\S+: <A> \S+ \d\d/[a-z]{3}/\d{4}/\d\d/\d\d/\d\d `),
  row('fail2ban', String.raw`\bfail2ban\b.*\] (?:(?:Restore )?(?:Un)?Ban|Found|Ignore) `, String.raw`\] (?:(?:Restore )?(?:Un)?Ban|Found|Ignore) <A>(?=\s|$)`),
  row('DHCP server', '^dhcpd: ', '^dhcpd: DHCP(?:REQUEST|ACK|RELEASE|DECLINE|INFORM) (?:for|on|of|from|to) <A>', String.raw`^dhcpd: Sending \w+ to <A>`),
  open('Atlassian', String.raw` \d+x\d+x\d+ \S+ ${ADDRESS}`, String.raw` \d+x\d+x\d+ \S+ <LIST> `),
  row('Rails', '^Started [A-Z]+ "', '^Started [A-Z]+ "[^"]*" for <A> at '),
  row('ocserv', '^ocserv: ', String.raw`^ocserv: [\w-]+(?:\[.*?\])?: ?<A>`),
  none('IPsec, sent', String.raw`^(?:charon: )?\d+\[\w+\] (?:<[^>]*> )?sending packet: from `),
  open('strongSwan', ' established between ', String.raw` established between .*?\.\.\.(?<client>[\da-f.:]+)\[`),
  row('Roundcube', String.raw`\bIMAP Error: Login failed for `, String.raw`Login failed for .* from <A>(?:\(X-[^)]*\))?(?:\. [A-Z]{4,}|\.?$)`, 'Login failed for .* from <A>'),
  row('Oracle messaging', '^<co ts=', String.raw`\btr="TCP\|[^|]*\|\d+\|<A>\|`),
  row('Courier', String.raw`^courier\w*: `, String.raw`\b(?:relay|ip)=\[?<A>`),
  row('Cyrus', '^cyrus/|: badlogin: ', String.raw`(?:bad)?login: [^\[]*<A>`),
  row('Drupal', String.raw`^(?:[\w.]+: )?https?://[^|]*\|\d{10}\|`, String.raw`^[^|]*\|\d{10}\|[^|]*\|<A>\|`),
  row('Unbound', String.raw`^(?:unbound: )?.*\[\d+:\d+\] (?:info|query|reply): `, String.raw`(?:info|query|reply): <A> \S+ [A-Z\d]+ [A-Z]+`),
  row('NSD', String.raw`\bratelimit (?:un)?block `, ' query <A> '),
  row('Cisco Umbrella', String.raw`^"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d",(?:"[^"]*",){1,2}"<A>","`),
  row('Azure flow tuple', String.raw`^\d{10,13},<A>,${ADDRESS},\d+,\d+,`),
  row('Dante', String.raw`^(?:\S+: )?(?:info: )?(?:pass|block)\(\d+\): \w+/\w+ `, String.raw` [\]\[\-]: (?:\S+@)?<A>[.:]`),
  row('BIND', String.raw`^named: (?!CEF:)|\bclient (?:@0x[\da-f]+ )?${ADDRESS}#\d+|\b(?:lame-servers|xfer-in): (?:info|error|notice|warning): |\bresolving '[^']*/[A-Z\d]+/IN': |^(?:\S+ ){0,3}DNS format error from `,
    String.raw`^.* resolving \S+ for <A>#\d+`, String.raw`\bclient (?:@0x[\da-f]+ )?<A>#\d+`, String.raw`\bnotify from <A>#`),
  row('dnsmasq', '^dnsmasq(?:-dhcp)?: ', ' from <A>$', String.raw`^dnsmasq: \d+ <A>/\d+ `, String.raw`DHCP\w+\(\S+\) <A> `),
  row('ProFTPD', String.raw`\bproftpd(?:\[\d+\]:? |: )`, String.raw`proftpd(?:\[\d+\]:?|:) \S+ \(\S*?<A>\]?\)`, String.raw`refused connect from .* ?\(<A>\)$`),
  row('Pure-FTPd', String.raw`^pure-ftpd: |\(\S{0,99}@\S{1,99}\) \[(?:INFO|WARNING|NOTICE|ERROR)\] `, String.raw`\(\S*@<A>\) \[`),
  row('vsftpd', String.raw`\[pid \d+\] (?:\[.*\] )?(?:FAIL|OK|CONNECT)\b.*: Client "`, ': Client "<A>"'),
  row('WireGuard', String.raw`^kernel: (?:\[[\d. ]+\] )?wireguard: `, String.raw`\bpeer \d+ \(<A>`),
  row('MySQL', `Access denied for user '.*'@'`, String.raw`Access denied for user '.*'@'<A>' \(using`, `Access denied for user '.*'@'<A>'`),
  row('PostgreSQL', '(?:no pg_hba.conf entry for (?:replication connection from )?host "|connection received: host=| database=[^ ]{1,63} host=)<A>'),
  row('SQL Server', String.raw`\[CLIENT: <A>\]\s*$`),
  row('OpenVPN', String.raw`\[AF_INET6?\]|^(?:openvpn: )?(?:${TIME} )?(?:[^\s/]+/)?${ADDRESS}:\d+ (?:MULTI|SENT CONTROL|PUSH|TLS|VERIFY|Peer|Data Channel|Control Channel|SIG[A-Z]|Connection reset)`, String.raw`^(?:openvpn: )?(?:${TIME} )?(?:[^\s/]+/)?<A>:\d+ `, String.raw`(?:from|peer|via|link remote:) \[AF_INET6?\]<A>`, String.raw`^(?:\S+ )?(?:.*/)?<A>:\d+ `, String.raw`\[AF_INET6?\]<A>`),
  open('flow record', String.raw`^(?:\S+:|[a-z]+) .*${ADDRESS}${NEXT}(?:\d{1,5}${NEXT})?${ADDRESS}${NEXT}\d`,
    String.raw`<A>${NEXT}\d{5}${NEXT}${ADDRESS}${NEXT}\d{1,4}\b`, String.raw`${ADDRESS}${NEXT}\d{1,4}${NEXT}<A>${NEXT}\d{5}\b`,
    String.raw`<A>${NEXT}${ADDRESS}${NEXT}\d{5}${NEXT}\d{1,4}\b`, String.raw`${ADDRESS}${NEXT}<A>${NEXT}\d{1,4}${NEXT}\d{5}\b`),
];

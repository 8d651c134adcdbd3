/** Chinese of the texts of `--help`, by their English. Slots in braces are lists that the code makes. */
export const HELP_ZH: Readonly<Record<string, string>> = {
  // The library that reads the command line
  'display help for command': '显示帮助',
  'output the version number': '显示版本号',
  'IP risk, geolocation and phone-number risk, on your own machine.':
    '在自己的机器上查询 IP 风险、地理位置和号码风险。',
  // Shared
  'print JSON': '输出 JSON',
  'print JSON, also on a terminal': '在终端上也输出 JSON',
  'without asking': '不再确认',
  'account id': '账户 ID',
  'phone numbers a minute': '每分钟号码数',
  'phone numbers a day': '每日号码数',
  'lookups per minute': '每分钟查询数',
  'lookups per day': '每日查询数',
  'version shown in meta.data_version': '在 meta.data_version 中显示的版本',
  'source of the captures': '捕获记录的来源名',
  'leave out what more share than this by its network': '略去网络由更多人共用的地址',
  'in a list to block by, also what is only challenged: Tor exits and shared networks':
    '封锁列表也包括只需验证的地址：Tor 出口和多人共用的网络',
  'language of tables and errors; default: by LC_ALL, LC_MESSAGES or LANG':
    '表格和错误的语言；默认取自 LC_ALL、LC_MESSAGES 或 LANG',
  // account
  'accounts, their plans and limits': '账户及其套餐和限额',
  'make an account': '新建账户',
  'address of the account, unique': '账户的邮箱，不可重复',
  'for signing in on the site; without this option, keys only; without a value it is asked for on the terminal':
    '用于登录网站；不加此选项则只能用密钥；不给值则在终端询问',
  'read the password from standard input: one line': '从标准输入读取密码，一行',
  'free, professional, enterprise, private, or one of your own (default: free)':
    'free、professional、enterprise、private，或自定的套餐（默认 free）',
  'a data-processing agreement is in force: exact evidence times are shown': '数据处理协议已生效：显示证据的精确时间',
  'switch the phone capability on (plans that can hold it)': '开通号码查询（限可开通的套餐）',
  'may see and change every account on the site': '可在网站上查看和修改所有账户',
  'change an account; limits given here take precedence over those of its plan': '修改账户；此处的限额优先于套餐',
  'plan the account is on': '账户所用的套餐',
  'lookups per minute, or "plan" for what the plan says': '每分钟查询数，或用 "plan" 取套餐的值',
  'lookups per day, or "plan"': '每日查询数，或 "plan"',
  'percent past the daily limit before lookups are refused, or "plan"': '超出每日限额多少百分比后拒绝查询，或 "plan"',
  'phone numbers a minute, or "plan"': '每分钟号码数，或 "plan"',
  'phone numbers a day, or "plan"': '每日号码数，或 "plan"',
  'days of history the contract grants, or "plan" for the default': '合同给予的历史天数，或用 "plan" 取默认值',
  'data-processing agreement in force': '数据处理协议是否生效',
  'phone capability': '号码查询能力',
  'refuse every key and sign-in of the account': '拒绝该账户的所有密钥和登录',
  "the mail address is known to be the holder's (where sign-up is by mail, keys and sign-in need that)":
    '已确认邮箱属于持有人（邮件注册时，密钥和登录都需要）',
  'open the operator pages, new keys and new apps only to sessions with a second factor; on ends the apps of before':
    '运营页面、新密钥和新应用只对有第二因素的会话开放；设为 on 会终止此前的应用',
  'give an account a new password; its sessions and authorised apps end': '为账户设新密码；其会话和已授权应用随之终止',
  'the new password (without this option one is generated and printed); without a value it is asked for on the terminal':
    '新密码（不加此选项则生成并输出）；不给值则在终端询问',
  'its API keys end too: a person who knew the password may have made some':
    '其 API 密钥也一并失效：知道密码的人可能建过密钥',
  'remove second factors and recovery codes of an account whose holder lost them; its sessions and authorised apps end':
    '持有人遗失第二因素时，移除账户的第二因素和恢复码；其会话和已授权应用随之终止',
  'remove an account for good, with its keys, sessions and apps': '永久删除账户及其密钥、会话和应用',
  'all accounts with the limits in force': '所有账户及生效的限额',
  // key --bouncer
  'the key may fetch decisions as a bouncer of CrowdSec (docs/enforcement.md)':
    '该密钥可作为 CrowdSec 阻断器获取决策（docs/enforcement.md）',
  'with --bouncer: decisions are about scores from this on (default: 70)':
    '与 --bouncer 一起：从该分数起给出决策（默认 70）',
  'with --bouncer: the most decisions at a time, the riskiest (default: 15000)':
    '与 --bouncer 一起：同时最多的决策数，取最高风险者（默认 15000）',
  'with --bouncer: ranges as their addresses, for clients that keep the first one only':
    '与 --bouncer 一起：把网段逐个展开为地址，用于只认网段首地址的客户端',
  // policy
  'what GET /v1/decide answers to a key': 'GET /v1/decide 对某个密钥的处置策略',
  'change the policy of a key, on every node within two seconds': '修改密钥的策略，两秒内在所有节点生效',
  'the whole policy as JSON; - is standard input': '完整的策略 JSON；- 表示标准输入',
  'deny from this level or score on: low, medium, high, 1 to 100, never':
    '从该等级或分数起拒绝：low、medium、high、1 到 100、never',
  'challenge from this level or score on': '从该等级或分数起要求验证',
  'the strictest action on addresses that many share by their network, as T2=deny':
    '对按网络由多人共用的地址的最严处置，例如 T2=deny',
  'the action on Tor exits, whatever their score is': '对 Tor 出口的处置，与分数无关',
  'the mildest action while a signal fires, as vpn=challenge': '某信号触发时的最轻处置，例如 vpn=challenge',
  'addresses and prefixes that are always allowed, separated by commas': '始终放行的地址和网段，用逗号分隔',
  'report the action and never take it': '只报告处置，不执行',
  'the answer while no verdict can be given': '无法给出结论时的回答',
  'the policy of a key': '密钥的策略',
  'its order on an address, and why, from the local data': '据本地数据，对一个地址的处置及原因',
  'give a key the default policy again': '恢复密钥的默认策略',
  // beacon
  'beacons: exits of proxies, VPNs and pools that you pay for become evidence':
    '信标：将付费使用的代理、VPN 和代理池出口变成证据',
  'exits of proxies, VPNs and pools that you pay for become evidence (docs/beacons.md)':
    '将付费使用的代理、VPN 和代理池出口变成证据（docs/beacons.md）',
  'make a beacon; its token is shown this once': '新建信标；令牌只显示这一次',
  'what its exits are': '其出口的类型',
  'the group its exits belong to (proxy vendor, VPN brand); published only as a pool handle':
    '其出口所属的组（代理商、VPN 品牌）；对外只以代理池句柄出现',
  'RFC 3339 date-time from which the token is refused': '从此 RFC 3339 时间起拒绝该令牌',
  'beacons with the prefix of their token, when they were last seen, and their exits':
    '信标及其令牌前缀、最近出现时间和出口',
  'refuse the token of a beacon from now on; its captures stay unless they are taken back':
    '从现在起拒绝信标的令牌；其捕获记录保留，除非撤回',
  'its captures count no more either: the token was used by someone else': '其捕获记录也不再计入：令牌被他人使用过',
  'with --retract: only captures with times from then on (RFC 3339)':
    '与 --retract 同用：只撤回从此时起的捕获记录（RFC 3339）',
  'beacon id': '信标 ID',
  // completion
  'completion of commands and options for bash, zsh or fish': 'bash、zsh 或 fish 的命令与选项补全',
  'print completion of commands and options: `source <(pulse completion bash)`':
    '输出命令与选项的补全脚本：`source <(pulse completion bash)`',
  'shell that reads the script': '读取脚本的 shell',
  // data
  'geolocation and network data: list, build, update, verify; all data: export, import':
    '地理与网络数据：list、build、update、verify；全部数据：export、import',
  'geolocation and network data: what is used, build it, check it; all data: export, import':
    '地理与网络数据：所用数据、构建和检查；全部数据的导出与导入',
  'the whole installation with its tables as text, which either store can take: SQLite or PostgreSQL':
    '导出整个安装，表以文本保存，SQLite 与 PostgreSQL 均可导入',
  'verify an export and take it into an empty data folder; with PULSE_DATABASE_URL, into an empty database':
    '校验导出并导入空的数据文件夹；设有 PULSE_DATABASE_URL 时导入空数据库',
  'folder of the export, or of a backup of PostgreSQL': '导出文件夹，或 PostgreSQL 的备份文件夹',
  'layers in their order of trust with the dates of their content, and lists of networks':
    '按可信顺序列出数据层及其内容日期，以及网络名单',
  'compile layers and lists into the image that lookups read; does nothing when nothing changed':
    '将数据层和名单编译成查询所读的映像；没有变化则不做任何事',
  'build again in any case': '无论如何重新构建',
  'fetch shipped layers from their publishers again and build; what cannot be used is refused with its reason, and the content in use stays':
    '从发布方重新获取随附的数据层并构建；不可用的会说明原因并拒绝，现用内容保留',
  'ids of shipped layers ({layers}); left out, all of them': '随附数据层的 ID（{layers}）；不写则全部',
  'check the current image in full, and print what it holds': '完整检查当前映像，并输出其内容',
  // doctor
  'looks at data folder, settings, port, stores, machine, place data and feeds':
    '检查数据文件夹、设置、端口、存储、机器、地理数据和数据源',
  'look at data folder, settings, port, stores, machine, place data and feeds; status 1 with a fault':
    '检查数据文件夹、设置、端口、存储、机器、地理数据和数据源；有故障时状态码为 1',
  'role of the node (docs/scaling.md)': '节点的角色（docs/scaling.md）',
  'write what helps to find a fault to a new file, without secrets': '把有助于排查故障的内容写入新文件，不含机密',
  // enrich
  'a log or table with fields of the verdict added to each line': '为日志或表格的每一行加上判定字段',
  'add fields of the verdict to each line of a log or table (docs/bulk.md); no server needed':
    '为日志或表格的每一行加上判定字段（docs/bulk.md）；无需服务器',
  'what the lines are': '各行的格式',
  'column, member or word with the address, by name or number from 1; default: where addresses are':
    '地址所在的列、成员或词，用名称或从 1 起的序号；默认自动识别',
  'with --format any: which address of several on a line; the first and last are public ones':
    '与 --format any 同用：一行有多个地址时取哪个；first 和 last 指公网地址',
  'take a file of which most lines have no address; else that is an error': '接受多数行没有地址的文件；否则视为错误',
  'fields to add: {fields}': '要加的字段：{fields}',
  'verdicts as they stood at this moment (RFC 3339)': '此时刻的判定（RFC 3339）',
  'verdicts as they stood at this moment (RFC 3339); line: each at the time of its own line':
    '此时刻的判定（RFC 3339）；line：每行按其自身时间判定',
  'file to write, replaced when it is whole; packed when it ends in .gz or .zst; - or none: standard output':
    '输出文件，写完后整体替换；以 .gz 或 .zst 结尾则压缩；- 或不写为标准输出',
  'form of the output': '输出形式',
  'place and network alone, also without a data folder; says nothing about risk':
    '只查位置和网络，没有数据目录也可；不涉及风险',
  'threads; default: one a core, and one alone for a small file': '线程数；默认每核一个，小文件只用一个',
  'write the report of pulse summarize as well, from the same pass, as one HTML file':
    '同时写出 pulse summarize 的报告，为单个 HTML 文件',
  'ask the service at this address instead of the local data': '向此地址的服务查询，不用本地数据',
  'file with an API key for --server': '存有 --server 所用 API 密钥的文件',
  'end with a summary as JSON on standard error': '结束时在标准错误输出 JSON 摘要',
  'the file, packed with gzip or zstd or not; - is standard input': '文件，可用 gzip 或 zstd 压缩；- 为标准输入',
  // evidence
  'captures from your own systems: import, follow, retract, trust, sources':
    '来自自有系统的捕获记录：import、follow、retract、trust、sources',
  'captures from your own systems': '来自自有系统的捕获记录',
  'take captures in: a list of addresses, CIDRs and ranges, CSV with a header, or one JSON object a line {ip, risk_type, captured_at, pool?}; packed with gzip or zstd or not':
    '收入捕获：地址、CIDR 与范围的名单，带首行的 CSV，或每行一个 JSON 对象 {ip, risk_type, captured_at, pool?}；可用 gzip 或 zstd 压缩',
  'take rows whose times stand where they are not read: they are dated by --captured-at, or now':
    '收入时间位于未读取之处的行：其时间取 --captured-at，否则取现在',
  'end with status 0 although more than half of the rows were not taken': '即使超过一半的行未被收入，也以状态 0 结束',
  'who says so; also the family in which osint captures count': '来源名；osint 捕获记录也按它归族',
  'type of rows that name none: {types}': '未写类型的行所用的类型：{types}',
  'time of rows that carry none (RFC 3339); default: now': '未写时间的行所用的时间（RFC 3339）；默认现在',
  'pool of rows that name none (proxy vendor, VPN brand); never published as it is':
    '未写代理池的行所属的池（代理商、VPN 品牌）；从不原样公开',
  "the rows are the source's complete record from then on (RFC 3339): earlier moments cannot be asked with `at`":
    '这些行是该来源从此时起的完整记录（RFC 3339）：更早的时刻不能用 `at` 查询',
  'take rows about well-known services, too: resolvers, time servers, crawlers, front ends (docs/score.md)':
    '也接受知名服务的行：解析器、时间服务器、爬虫、前端（docs/score.md）',
  'file to read, - for standard input': '要读取的文件，- 为标准输入',
  'take the captures of a source or of a key back, those of a list too: they count no more from now on, and answers about earlier moments stay':
    '撤回一个来源（也可以是名单）或一个密钥的捕获记录：从现在起不再计入，关于此前时刻的回答不变',
  'only what came by this key; without a source, whatever it named as its source':
    '只撤回此密钥上报的记录；不指定来源时，不论其以何来源上报',
  'why; kept in the audit log': '原因；记入审计日志',
  'captures with times from then on (RFC 3339); default: from the first one on':
    '从此时起的捕获记录（RFC 3339）；默认从第一条起',
  'captures with times before then (RFC 3339), at most now; default: until now':
    '早于此时的捕获记录（RFC 3339），最晚为现在；默认到现在',
  'whose captures; `pulse evidence sources` names them all': '哪个来源的记录；`pulse evidence sources` 列出全部',
  'take the trust of a source away, with the captures it brought since a moment, or give it back':
    '撤销对来源的信任，并可撤回某时刻以来的捕获记录；或恢复信任',
  'refuse its batches from now on (403; senders keep them), and the runs of a list':
    '从现在起拒收其批次（403；发送方会保留），以及名单的读取',
  'take its batches in again': '重新接收其批次',
  'RFC 3339. With --none: captures with times from then on count no more. With --full: those from then on count (default: now)':
    'RFC 3339。与 --none 同用：从此时起的记录不再计入；与 --full 同用：从此时起的记录计入（默认现在）',
  'why; kept with the source and in the audit log': '原因；记在来源上并记入审计日志',
  'who brings the captures: a sender, or a list of the catalogue': '记录的来源：发送方，或目录中的名单',
  'who brought captures, the time of the newest, whether it is trusted, and what was taken back':
    '记录的来源、最新时间、是否受信任，以及撤回的内容',
  'read a log as it grows, and report who scans and who tries passwords (docs/follow.md)':
    '持续读取日志，上报扫描者和猜口令者（docs/follow.md）',
  'what writes the log': '日志由何程序写出',
  'source of the captures; default: FORMAT-log': '捕获记录的来源名；默认 FORMAT-log',
  'folder for the spool; default: follow/SOURCE in PULSE_DATA_DIR':
    '待发送目录；默认 PULSE_DATA_DIR 下的 follow/SOURCE',
  'IANA zone of times that name none': '未写时区的时间所在的 IANA 时区',
  'sshd: attempts of one address within ten minutes from which they count; 1 for a honeypot':
    'sshd：一个地址十分钟内尝试多少次起计入；蜜罐用 1',
  'eve: alerts alone, for a host that serves people': 'eve：只计告警，用于为人服务的主机',
  'nginx: beginnings of paths that only scanners ask for, one a line, in place of the shipped ones':
    'nginx：只有扫描者会请求的路径前缀，每行一个，取代随附的列表',
  'nginx: statuses with which a request counts': 'nginx：哪些状态码的请求计入',
  'clients that are not evidence, such as your own monitors': '不作为证据的客户端，例如自有监控',
  'send captures to the service at this address': '将捕获记录发往此地址的服务',
  'file with the key for --report (pulse key create --send-only --source NAME)':
    '存有 --report 所用密钥的文件（pulse key create --send-only --source NAME）',
  'write captures into the evidence store of this installation': '将捕获记录写入本安装的证据库',
  'print what would be reported, and report nothing': '只输出将上报的内容，不上报',
  'room for captures that wait for delivery': '待发送捕获记录的空间',
  'captures are folded and reported this often': '捕获记录合并上报的间隔',
  'the log, followed over its rotation; - reads standard input': '日志文件，轮转后继续跟随；- 为标准输入',
  // export
  'verdicts of this moment as a file: mmdb, txt, csv, json, ndjson, nft, nginx-geo, haproxy-map, ipset':
    '此刻的判定导出为文件：mmdb、txt、csv、json、ndjson、nft、nginx-geo、haproxy-map、ipset',
  'the verdicts of this moment as a file that other software reads (docs/export.md)':
    '将此刻的判定导出为其他软件可读的文件（docs/export.md）',
  'what reads the file': '读取该文件的软件',
  'with mmdb: fields of the file, pulse unless said; the others are MaxMind’s':
    '与 mmdb 同用：文件的字段，默认 pulse；其余为 MaxMind 的字段',
  'with mmdb: the name in the file that a reader asks for, such as GeoIP2-Anonymous-IP':
    '与 mmdb 同用：文件中供读取程序核对的名称，如 GeoIP2-Anonymous-IP',
  'with csv: moment and licences as comments before the header, too': '与 csv 同用：时间与许可证也以注释写在表头之前',
  'the file to make or replace, packed when it ends in .gz or .zst; - is standard output':
    '要写或替换的文件，以 .gz 或 .zst 结尾则压缩；- 为标准输出',
  'scores from this on; default: 70 in nft, ipset and txt without --levels':
    '分数下限；nft、ipset 和 txt 在没有 --levels 时默认为 70',
  'levels of the score, such as medium,high': '分数等级，例如 medium,high',
  'states of the evidence; default: active, in mmdb, csv and ndjson stale as well':
    '证据状态；默认 active，mmdb、csv 和 ndjson 还含 stale',
  'verdicts with one of these signals': '带有其中某个信号的判定',
  'leave out the addresses and networks that stand in this file, in whatever form':
    '略去此文件中的地址和网段，写法不限',
  'address family': '地址族',
  'count sources that may not be passed on, and say which networks are meant; for files that stay here':
    '计入不可转发的来源，并写明所指网络；用于不外传的文件',
  'name of the sets or the table that the file makes': '文件中集合或表的名称',
  'keep the file current until stopped': '持续更新文件，直到停止',
  'with --watch: pause between two looks': '与 --watch 同用：两次检查的间隔',
  'print what was written as JSON': '以 JSON 输出所写内容',
  // feeds
  'public sources: list, refresh, import, accept what was refused': '公开来源：list、refresh、import，接受被拒的读取',
  'public sources: what there is, read them now, take them from a folder': '公开来源：目录、立即读取、从文件夹导入',
  'the catalogue with last success, rows and licence': '来源目录及最近成功时间、行数和许可',
  'one source, and the reading of it that waits in quarantine with reason and figures':
    '一个来源，及其隔离待审的读取、原因和数字',
  'source id as in `pulse feeds list`': '来源 ID，见 `pulse feeds list`',
  'source ids as in `pulse feeds list`': '来源 ID，见 `pulse feeds list`',
  'read sources from their publishers now; without names, every scheduled one':
    '立即从发布方读取来源；不写名称则读取所有计划内的来源',
  'take the same sources from files in a folder, histories (*.feedlog.jsonl, <source>/<date>.txt) included':
    '从文件夹中的文件导入同样的来源，含历史（*.feedlog.jsonl、<source>/<date>.txt）',
  'what the files speak for (RFC 3339); default: what they or the manifest state, else the time of the newest file':
    '文件所述的时刻（RFC 3339）；默认取文件或清单所写，否则取最新文件的时间',
  'current files only': '只取当前文件',
  'folder; every folder below it is read too': '文件夹，含其下所有文件夹',
  'stop reading a source and do not expect it: verdicts are not degraded without it; what it said before stays and ages':
    '停止读取一个来源且不再期待它：没有它判定也不降级；此前的内容保留并随时间老化',
  'read a source again that was switched off': '重新读取已停用的来源',
  'take in the reading of a source that waits in quarantine, although it is outside the bounds; later readings are compared with it':
    '接受隔离待审的读取，即使超出界限；以后的读取与它比较',
  'the reading that is meant, by the first characters (8 or more) of its digest as in `pulse feeds show`':
    '所指的读取，用 `pulse feeds show` 中摘要的前 8 个以上字符',
  // key
  'API keys of an account': '账户的 API 密钥',
  'make a key; its text is shown this once': '新建密钥；内容只显示这一次',
  'account the key belongs to': '密钥所属的账户',
  'what it is for': '用途',
  'lookups per day this key may make': '此密钥每日可查询的次数',
  'RFC 3339 date-time from which the key is refused': '从此 RFC 3339 时间起拒绝该密钥',
  'the key may not use the phone capability': '此密钥不能查询号码',
  'the key may send evidence of one source and do nothing else: for sensors; needs --source and an operator account':
    '此密钥只能发送一个来源的证据，用于探针；须有 --source 和运营者账户',
  'with --send-only: the source it speaks as, and no other': '与 --send-only 同用：唯一可用的来源名',
  'with --send-only: what it may report, separated by commas (default: honeypot_scan,honeypot_credential)':
    '与 --send-only 同用：可上报的类型，用逗号分隔（默认 honeypot_scan,honeypot_credential）',
  'the key may write evidence, as any source; needs an operator account. Without it a key looks up and no more':
    '密钥可以任何来源的名义写入证据；账户须为管理员账户。否则密钥只能查询',
  'with --evidence: about networks too, /24, /48 and wider':
    '与 --evidence 同用：也可写入关于网段的证据（/24、/48 及更大）',
  'with --send-only: rows may be about prefixes, down to /24 and /48; else about single addresses':
    '与 --send-only 同用：行可以是网段，最大 /24 和 /48；否则只能是单个地址',
  'refuse a key from now on, everywhere within two seconds': '从现在起拒绝密钥，两秒内各处生效',
  'key id': '密钥 ID',
  'keys with their prefix, never their text': '密钥及其前缀，从不显示内容',
  'of this account only': '只列此账户的',
  // serve
  'answer requests until stopped': '应答请求，直到停止',
  'answer requests until stopped; settings come from PULSE_… variables (docs/configuration.md)':
    '应答请求，直到停止；设置来自 PULSE_… 变量（docs/configuration.md）',
  'invented evidence in a data folder of its own, no network needed (docs/demo.md)':
    '使用单独数据文件夹中的虚构证据，无需联网（docs/demo.md）',
  'what this node does of the work of several (docs/scaling.md)': '多节点时本节点承担的工作（docs/scaling.md）',
  // list
  'lists of addresses that firewalls fetch by URL': '防火墙按 URL 获取的地址列表',
  'lists of addresses that firewalls fetch by URL: save, show, remove':
    '防火墙按 URL 获取的地址列表：save、show、remove',
  'save which verdicts a list holds; clients fetch it at /lists/NAME.txt, .nft, .csv and .json':
    '保存列表包含哪些判定；客户端从 /lists/NAME.txt、.nft、.csv、.json 获取',
  'lower-case letters, digits and underscores': '小写字母、数字和下划线',
  'a list of this account; without it, one that every key may fetch': '属于此账户的列表；不加此选项则任何密钥都可获取',
  'scores from this on (default: 70, or 0 with --levels)': '分数下限（默认 70，给出 --levels 时为 0）',
  'states of the evidence (default: active)': '证据状态（默认 active）',
  'the most prefixes at a time, the riskiest': '一次最多的前缀数，取风险最高者',
  'saved lists, with their last fetch': '已保存的列表及最近一次获取',
  'end a list: fetches of it are refused from now on': '删除列表：此后的获取会被拒绝',
  // override
  'corrections of verdicts: add, list, remove': '人工修正：add、list、remove',
  'correct the verdicts about an address or prefix': '人工修正某地址或网段的判定',
  'correct verdicts from now on, on every node within two seconds': '从现在起修正判定，两秒内所有节点生效',
  'its score is held at 1 while evidence is active': '证据有效期间分数固定为 1',
  'its addresses count as seen by own collection': '其地址视为自有采集所见',
  'for the audit log and the people who ask why': '供审计日志和询问原因的人',
  'the end, RFC 3339': '结束时间，RFC 3339',
  'an address, or a prefix such as 192.0.2.0/24': '地址，或网段，例如 192.0.2.0/24',
  'overrides in force, newest first': '生效中的人工修正，新的在前',
  'ended ones too': '也列已结束的',
  'end an override now; answers about earlier moments keep it': '立即结束一个人工修正；关于此前时刻的回答仍含它',
  'override id': '人工修正 ID',
  // phone
  'phone numbers: lookup, from local data; libraries: import, generate':
    '号码：用本地数据 lookup；号码库：import、generate',
  'numbers: lookups from the local libraries, import of a drop or a public list, a synthetic library':
    '号码：用本地库查询，导入文件或公开名单，生成合成库',
  'what the local libraries know about numbers; no server needed. A table on a terminal, else JSON':
    '本地库对号码的了解；无需服务器。终端上为表格，否则为 JSON',
  'country of numbers without + or 00, as US or 1; default: as POST /v1/phone/lookup reads them':
    '不带 + 或 00 的号码所属国家，如 US 或 1；默认与 POST /v1/phone/lookup 相同',
  'column of a table with the numbers, by name or number from 1; default: where numbers are':
    '号码所在的列，用名称或从 1 起的序号；默认自动识别',
  'take a list of which most lines have no number; else that is an error': '接受多数行没有号码的列表；否则视为错误',
  'csv keeps all columns and adds pulse_phone_…': 'csv 保留所有列并加上 pulse_phone_…',
  'file to write, replaced when it is whole; packed when it ends in .gz or .zst':
    '输出文件，写完后整体替换；以 .gz 或 .zst 结尾则压缩',
  'print JSON, also on a terminal; of several numbers one document a line':
    '在终端上也输出 JSON；多个号码时每行一个文档',
  'numbers in any spelling, or one file (a list, or CSV with more columns), or - for standard input':
    '任意写法的号码，或一个文件（列表，或多列 CSV），或 - 表示标准输入',
  'load records from a file (gzip and zstd are unpacked); a running server sees them at once':
    '从文件载入记录（gzip 与 zstd 会解压）；运行中的服务器立即可见',
  'library to write': '要写入的号码库',
  'the library is exactly this file afterwards; without it the file is an increment':
    '载入后库与此文件完全一致；不加则为增量',
  'version shown in meta.data_version (default: the date, for increments with the minute)':
    '在 meta.data_version 中显示的版本（默认日期，增量精确到分钟）',
  'form of the file': '文件格式',
  'CSV: which column is number, risk, tags, first_seen, last_active … (repeatable)':
    'CSV：number、risk、tags、first_seen、last_active 等各是哪一列（可重复）',
  'numbers without + belong to this calling code, as 86': '不带 + 的号码属于此国际区号，如 86',
  'plain numbers: take them out of the library': '纯号码：从库中移除',
  'plain numbers: when they were seen (default: time of the file)': '纯号码：出现时间（默认文件时间）',
  'NDJSON, CSV with a header, the ip1sms date list, or plain numbers one a line':
    'NDJSON、带表头的 CSV、ip1sms 日期列表，或每行一个号码',
  'replace a library by a seeded synthetic one, for tests and measurements': '用按种子生成的合成库替换，供测试和测量',
  'number of records': '记录数',
  'the same seed gives the same library': '种子相同则库相同',
  // lookup, myip
  'verdicts from local data, no server; `pulse ADDRESS` for short':
    '用本地数据判定，无需服务器；可简写为 `pulse ADDRESS`',
  'verdicts from the local data; no server needed. A table on a terminal, else JSON':
    '用本地数据判定；无需服务器。终端上为表格，否则为 JSON',
  'as it stood at this moment (RFC 3339); implies --professional': '此时刻的判定（RFC 3339）；隐含 --professional',
  'the professional document: evidence, sharing tier, pools': '专业版文档：证据、共享等级、代理池',
  'each address written up on one sheet of text, for a ticket': '把每个地址写成一页纯文本，便于放入工单',
  'how the score comes about and when it falls': '分数的由来及何时下降',
  'print JSON, also on a terminal; of several addresses one document a line':
    '在终端上也输出 JSON；多个地址时每行一个文档',
  'public IPv4 or IPv6 addresses in any spelling, a file of any text, or - for standard input':
    '任意写法的公网 IPv4 或 IPv6 地址、任意文本文件，或 - 表示标准输入',
  'tools for an AI client on this machine, over stdio, from local data':
    '供本机 AI 客户端使用的工具：经标准输入输出，使用本地数据',
  'tools for an AI client that starts this command: from local data, no server, no key':
    '供启动此命令的 AI 客户端使用的工具：使用本地数据，无需服务器与密钥',
  'verdicts about the public addresses of this machine': '关于本机公网地址的判定',
  'verdicts about the public addresses of this machine, as its interfaces have them; asks no other machine':
    '关于本机网卡上公网地址的判定；不询问其他机器',
  // sensor
  'listen for scanners and password guessers, and report them': '监听扫描者和猜口令者并上报',
  'listen on TCP ports and report who scans them and who tries passwords (docs/sensor.md)':
    '监听 TCP 端口，上报扫描者和猜口令者（docs/sensor.md）',
  '[PUBLIC:]PORT[/PROTOCOL],… with a protocol of {protocols}; default: the most scanned ports':
    '[PUBLIC:]PORT[/PROTOCOL],… 协议为 {protocols}；默认为最常被扫描的端口',
  'address to listen on; default: all of this machine': '监听地址；默认本机全部地址',
  'load balancers that begin connections with a PROXY header (v1 or v2)': '以 PROXY 头（v1 或 v2）开始连接的负载均衡器',
  'folder for secrets and spool; default: sensor in PULSE_DATA_DIR':
    '密钥和待发送目录；默认 PULSE_DATA_DIR 下的 sensor',
  // backup, restore
  'a copy of the whole installation, while it runs': '在服务运行时备份整个安装',
  'copy accounts, evidence, phone libraries, ledger, secret, layers and images, while the service runs':
    '在服务运行时复制账户、证据、号码库、用量账本、主密钥、数据层和镜像',
  'a new folder': '新文件夹',
  'leave out the secret; a restore then needs it by itself': '不含主密钥；恢复时需另行放回',
  'a backup back into an empty data folder': '把备份恢复到空的数据文件夹',
  'verify a backup and restore it into an empty data folder; with PULSE_DATABASE_URL, an empty database':
    '校验备份并恢复到空的数据文件夹；设有 PULSE_DATABASE_URL 时恢复到空数据库',
  'folder of the backup': '备份所在文件夹',
  // secret
  'the deployment’s secret: status, rotate, forget': '主密钥：status、rotate、forget',
  'the deployment’s secret: how old parts of it are, a new one': '主密钥：各部分的时间，更换',
  'where the secret is, until when a former one is accepted, which keys an earlier one left':
    '主密钥所在、旧主密钥接受到何时、更早的主密钥留下哪些密钥',
  'make a new secret; the former one is accepted for some days. Restart all nodes with the new text afterwards (docs/operating.md)':
    '生成新主密钥；旧主密钥再接受几天。之后用新内容重启所有节点（docs/operating.md）',
  'how long the former one is accepted': '旧主密钥接受多久',
  'also give new keys to: {keys}; what was stored with the old ones is void':
    '同时更换这些密钥：{keys}；用旧密钥存下的内容作废',
  'write the new text to a new file, and leave the one in use': '将新内容写入新文件，现用的不动',
  'take the former secret out; processes accept it until they are restarted': '移除旧主密钥；进程重启前仍接受它',
  'write the text without it to a new file, and leave the one in use': '将去掉它的内容写入新文件，现用的不动',
  // trial
  'what a policy would have stopped in a log of yours': '某个策略会在你的日志中拦下什么',
  'what a policy would have stopped in a log of yours, and whom; from the local data (docs/rollout.md)':
    '某个策略会在你的日志中拦下什么、影响谁；用本地数据（docs/rollout.md）',
  'the policy, as JSON (docs/rollout.md)': '策略，JSON 文件（docs/rollout.md）',
  'logins that succeeded: address and user, as a log or a table': '成功的登录：地址与用户，日志或表格',
  'rows of addresses and of logins': '地址与登录各列多少行',
  'print the counts as JSON': '以 JSON 输出计数',
  // summarize
  'who is behind the lines of a log, as text, JSON or one HTML file': '日志背后是谁，输出文本、JSON 或单个 HTML 文件',
  'who is behind the lines of a log: shares by state, level, signal, network and country, from the local data; no server needed (docs/bulk.md)':
    '日志背后是谁：按状态、等级、信号、网络和国家的占比，用本地数据；无需服务器（docs/bulk.md）',
  'how lines are laid out': '行的布局',
  'column, word (from 1) or member with the address; default: found by itself':
    '地址所在的列、词（从 1 起）或成员；默认自动识别',
  'write a report as one HTML file, which opens from disk and loads nothing; - writes it to standard output, in place of the text':
    '将报告写成单个 HTML 文件，可从磁盘打开且不加载任何内容；- 写到标准输出，取代文本',
  'write every address of at least medium risk, the riskiest first: .csv with the reasons, .nft for nftables, .conf for nginx':
    '写出所有中高风险地址，按风险从高到低：.csv 含原因，.nft 用于 nftables，.conf 用于 nginx',
  'another log: which risky addresses are new since, and which are gone':
    '另一份日志：哪些风险地址是新出现的，哪些已消失',
  'rows of the riskiest and of the most frequent addresses, and of prefixes': '最危险地址、最频繁地址和网段各列多少行',
  'print the summary as JSON': '以 JSON 输出摘要',
  'the log, also compressed with gzip or zstd; - or none: standard input':
    '日志，可用 gzip 或 zstd 压缩；- 或不写为标准输入',
  // plan
  'plans and their limits': '套餐及其限额',
  'all plans': '所有套餐',
  'change a plan, or add one; accounts on it have the new limits within two seconds':
    '修改或新增套餐；其账户两秒内使用新限额',
  'percent past the daily limit': '超出每日限额的百分比',
  'what its callers may see': '其调用方可见的内容',
  'whether its accounts can hold the phone capability': '其账户可否开通号码查询',
  'plan name': '套餐名称',
};

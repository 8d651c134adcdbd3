/** Chinese of sentences for the person at the terminal and of agents' errors, by their English. Slots in braces are filled. */
export const CHINESE = {
  // The command line itself
  'Usage:': '用法：',
  'Arguments:': '参数：',
  'Options:': '选项：',
  'Commands:': '命令：',
  "error: option '{flags}' argument '{value}' is invalid. {why}": "错误：选项 '{flags}' 的值 '{value}' 无效。{why}",
  "error: command-argument value '{value}' is invalid for argument '{name}'. {why}":
    "错误：参数 '{name}' 的值 '{value}' 无效。{why}",
  "error: missing required argument '{name}'": "错误：缺少参数 '{name}'",
  "error: option '{flags}' argument missing": "错误：选项 '{flags}' 缺少值",
  "error: required option '{flags}' not specified": "错误：缺少必需的选项 '{flags}'",
  "error: option '{flags}' cannot be used with option '{other}'": "错误：选项 '{flags}' 不能与 '{other}' 同时使用",
  "error: unknown option '{flag}'": "错误：没有选项 '{flag}'",
  "error: too many arguments for '{command}'. Expected {expected} but got {received}: {words}.":
    "错误：'{command}' 的参数过多：{words}。",
  "error: unknown command '{name}'": "错误：没有命令 '{name}'",
  'Allowed choices are {choices}.': '可选值：{choices}。',
  '(Did you mean {one}?)': '（是否想输入 {one}？）',
  '(Did you mean one of {some}?)': '（是否想输入其中之一：{some}？）',
  // Values of options
  'expected one of {values}': '应为其中之一：{values}',
  'expected some of {values}, separated by commas': '应为其中若干个，用逗号分隔：{values}',
  'expected a whole number': '应为整数',
  'expected a whole number from {min} to {max}': '应为 {min} 到 {max} 的整数',
  'expected an RFC 3339 date-time': '应为 RFC 3339 时间',
  'expected an RFC 3339 time such as 2026-08-22T16:00:00Z': '应为 RFC 3339 时间，例如 2026-08-22T16:00:00Z',
  'Expected an RFC 3339 date-time such as 2027-01-31T00:00:00Z.': '应为 RFC 3339 时间，例如 2027-01-31T00:00:00Z。',
  'Expected an RFC 3339 date-time that is not in the future.': '应为 RFC 3339 时间，且不晚于现在。',
  'Expected a whole number, 0 or more.': '应为不小于 0 的整数。',
  'Expected at most 1000.': '最多为 1000。',
  'Expected on or off.': '应为 on 或 off。',
  'expected a country, as US, or a calling code, as 1': '应为国家代码（如 US）或国际区号（如 1）',
  'expected a calling code, as 86': '应为国际区号，例如 86',
  'expected up to 40 letters, digits, dots, colons or dashes': '最多 40 个字母、数字、点、冒号或连字符',
  'expected ours=theirs, as in number=phone': '应为“本系统列名=文件列名”，例如 number=phone',
  'expected an IANA zone such as Europe/Berlin or UTC': '应为 IANA 时区，例如 Asia/Shanghai 或 UTC',
  'expected statuses such as 403,404': '应为状态码，例如 403,404',
  'expected a lower-case letter, then letters, digits and underscores, at most 24 characters':
    '应以小写字母开头，后接小写字母、数字和下划线，最多 24 个字符',
  'expected addresses or CIDRs, separated by commas': '应为地址或 CIDR，用逗号分隔',
  'expected https://…, or http:// to this machine: the key would be readable on the way':
    '应为 https://…，或指向本机的 http://：否则密钥会在途中被读取',
  '{name} is not a field, or stands twice': '{name} 不是字段，或出现了两次',
  '{file} must hold beginnings of paths, each with a slash first': '{file} 的每一行应为以斜杠开头的路径前缀',
  'the name ends in one of {ends}': '文件名须以其中之一结尾：{ends}',
  // Options together
  'error: nothing to change; see --help': '错误：没有要修改的内容，见 --help',
  'error: there is no terminal to ask on; use --yes': '错误：没有可供确认的终端，请加 --yes',
  'error: there is no terminal to ask for the password on; use --password-stdin':
    '错误：没有可供输入密码的终端，请用 --password-stdin',
  'error: say --none or --full': '错误：请指定 --none 或 --full',
  'error: --since says what --retract takes back': '错误：--since 用于限定 --retract 撤回的范围',
  'error: --key-file needs --server': '错误：--key-file 须与 --server 同用',
  'error: network.as_name is in the local data alone, not with --server':
    '错误：network.as_name 只在本地数据中，不能与 --server 同用',
  'error: --report counts by the local data, not with --server': '错误：--report 按本地数据统计，不能与 --server 同用',
  'error: --report needs the name of a file': '错误：--report 需要文件名',
  'error: {signals} come from network data, which is only in a file with --include-fetch-only':
    '错误：{signals} 来自网络数据，只有加 --include-fetch-only 才会写入文件',
  'error: --watch keeps a file current; give it one with --out': '错误：--watch 持续更新一个文件，请用 --out 指定文件',
  'error: a file is looked up alone, without further words': '错误：查询文件时只能给出这一个文件',
  'error: no source {name} of addresses or networks; see `pulse feeds list`':
    '错误：没有名为 {name} 的地址或网络数据源，见 `pulse feeds list`',
  'error: no source {names}; see `pulse feeds list`': '错误：没有数据源 {names}，见 `pulse feeds list`',
  'error: {names}: the server reads lists of phone numbers, on their schedule':
    '错误：{names}：号码名单由服务端按计划读取',
  "error: {fileOnly} has no publisher's address; use `pulse feeds import`":
    '错误：{fileOnly} 没有发布地址，请用 `pulse feeds import`',
  'error: PULSE_FEEDS is off; name the sources to read anyway': '错误：PULSE_FEEDS 已关闭，仍要读取请写出数据源名称',
  'error: --source, --kinds and --prefixes need --send-only':
    '错误：--source、--kinds 和 --prefixes 须与 --send-only 同用',
  'error: --send-only needs --source': '错误：--send-only 须与 --source 同用',
  'error: one of --allow and --deny is needed': '错误：--allow 和 --deny 须指定一个',
  'error: a plan name is a lower-case word of at most 32 characters': '错误：套餐名为小写单词，最多 32 个字符',
  'error: --listen: {ports}': '错误：--listen：{ports}',
  'error: choose one of --report URL, --local and --try': '错误：--report URL、--local 和 --try 须指定一个',
  'error: --report needs --key-file': '错误：--report 须与 --key-file 同用',
  // Passwords and keys
  'New password: ': '新密码：',
  'The same again: ': '再次输入：',
  'the two passwords differ': '两次输入的密码不一致',
  'standard input must be the password, on one line': '标准输入应为一行密码',
  'no password was entered': '没有输入密码',
  '{path} does not hold one key': '{path} 中应有且只有一个密钥',
  'pulse: this beacon has expired already': 'pulse：这个信标已经过期',
  'pulse: this key has expired already': 'pulse：这个密钥已经过期',
  'nothing was deleted': '没有删除任何内容',
  // Files that are read and written
  'left out: {networks} (networks)': '已略过网段：{networks}',
  '{network} is a network': '{network} 是网段',
  'most lines hold {addresses} addresses, of which one was read; --which first, last or all chooses among them':
    '多数行有 {addresses} 个地址，只读取了其中一个；用 --which first、last 或 all 选择',
  'no line has an address where it is sought; name the format (--format {formats})':
    '在应有地址的位置没有找到地址，请指定格式（--format {formats}）',
  'the words of {format} have no such name: --field takes their number from 1':
    '{format} 格式的各段没有名称，--field 应为从 1 起的序号',
  'no column has addresses in most rows; name one with --field': '没有一列在多数行中是地址，请用 --field 指定列',
  'there is no column {name}': '没有列 {name}',
  'no member has addresses in most lines; name one with --field': '没有一个成员在多数行中是地址，请用 --field 指定',
  'no column has phone numbers in most rows; name one with --field': '没有一列在多数行中是手机号，请用 --field 指定列',
  'none of {records} lines has an address ({read}); {hint}': '{records} 行都没有地址（{read}）；{hint}',
  'no address of {records} lines has a verdict ({read}); {hint}': '{records} 行中的地址都没有判定（{read}）；{hint}',
  '{without} of {records} lines have no address ({read}); --allow-partial takes the file all the same; {hint}':
    '{records} 行中有 {without} 行没有地址（{read}）；加 --allow-partial 仍可处理；{hint}',
  'read as {format}': '按 {format} 读取',
  'read as {format} with --field {field}': '按 {format} 读取，--field 为 {field}',
  '--format any takes them wherever they stand, --field names their column or word, --format one of {formats}':
    '--format any 读取任意位置的地址，--field 指定所在的列或段，--format 可为 {formats}',
  'none of {records} lines has a phone number ({hint})': '{records} 行都没有手机号（{hint}）',
  '{withoutNumber} of {records} lines have no phone number ({hint}); --allow-partial takes the list all the same':
    '{records} 行中有 {withoutNumber} 行没有手机号（{hint}）；加 --allow-partial 仍可处理',
  'read as {format}; --field names the column, --region the country of numbers without +':
    '按 {format} 读取；--field 指定列，--region 指定无 + 号码的国家',
  'a line is longer than {max} bytes': '有一行超过 {max} 字节',
  'a Parquet file has its own format: leave --format out': 'Parquet 文件自带格式，请去掉 --format',
  'Parquet is read and not written: add --output ndjson or --output csv':
    '只读取而不写出 Parquet，请加 --output ndjson 或 --output csv',
  'a Parquet file cannot be read from a pipe or packed: name the file itself':
    'Parquet 文件不能从管道或压缩包读取，请直接给出文件',
  '{path} cannot be read as Parquet: {why}': '{path} 不能按 Parquet 读取：{why}',
  'a ZIP archive is read from its file, not from a stream: name the file, or unzip -p FILE | pulse … -':
    'ZIP 只能从文件读取，不能从流读取：给出文件名，或用 unzip -p FILE | pulse … -',
  'an archive is read where it holds one file, and this one holds {count}: {names}. Take one out with unzip -p ARCHIVE NAME | pulse … -; save a spreadsheet as CSV':
    '只读取含一个文件的 ZIP，这个含 {count} 个：{names}。用 unzip -p ARCHIVE NAME | pulse … - 取出一个；电子表格请另存为 CSV',
  '{path} is a folder': '{path} 是文件夹',
  '{folder} is not a folder': '{folder} 不是文件夹',
  '{path} belongs to another user or group and would not afterwards: write it as that user, or remove it first':
    '{path} 属于其他用户或组，改写后将不再属于它：请以该用户写入，或先删除它',
  'stopped; {out} is as it was': '已停止，{out} 保持原样',
  'stopped; the file is as it was': '已停止，文件保持原样',
  'the file is empty: no report was written': '文件为空，没有写出报告',
  '{records} lines: {enriched} enriched, {refused} of addresses without a verdict, {withoutAddress} without an address':
    '{records} 行：{enriched} 行已补充，{refused} 行的地址没有判定，{withoutAddress} 行没有地址',
  '{records} lines · {rate} lines/s': '{records} 行 · 每秒 {rate} 行',
  '{percent} % · {rate} lines/s · {time} left': '{percent}% · 每秒 {rate} 行 · 剩余 {time}',
  '{count} addresses that many share were left out; --include-shared takes them':
    '已略去 {count} 个多人共用的地址；加 --include-shared 可包含',
  'only the {top} riskiest were looked at; --top takes more': '只看了风险最高的 {top} 个；用 --top 增加',
  // Verdicts, exports and evidence
  'degraded: sources of evidence were late or missing; `pulse feeds list` shows them':
    '降级：有证据来源逾期或缺失，见 `pulse feeds list`',
  'degraded: it is not known which sources verdicts lack, because no server notes it':
    '降级：没有运行中的服务记录，无法得知判定缺少哪些来源',
  'degraded: {missing}; `pulse feeds list` shows them': '降级：{missing}，见 `pulse feeds list`',
  '{missing} of {expected} sources of evidence late or missing': '{expected} 个证据来源中有 {missing} 个逾期或缺失',
  '{missing} of {expected} sources of evidence late or missing, the longest since {since}':
    '{expected} 个证据来源中有 {missing} 个逾期或缺失，最早自 {since} 起',
  '{late}; {count} retired': '{late}；{count} 个已停更',
  'lists of VPN addresses: {why}': 'VPN 地址名单：{why}',
  'waits for a list of private-relay ranges: lists of VPN addresses hold relay egress too (`pulse feeds refresh apple-private-relay`)':
    '等待隐私中继名单：VPN 名单也含中继出口（`pulse feeds refresh apple-private-relay`）',
  'the interfaces of this machine have no public address: it is behind address translation, and only a machine outside can say which address others see':
    '本机网卡上没有公网地址：它在地址转换（NAT）之后，只有外部的机器才能看到它的公网地址',
  '{count} prefixes': '{count} 个前缀',
  '{out}: {prefixes} prefixes, {bytes} bytes, verdicts of {at}':
    '{out}：{prefixes} 个前缀，{bytes} 字节，判定时刻 {at}',
  'left out, because they may not be passed on: {ids}': '因不得转发而略去：{ids}',
  '{lines} lines, {accepted} captures accepted, {added} of them new':
    '{lines} 行，接受 {accepted} 条捕获，其中 {added} 条为新增',
  '  refused {count}: {reason}': '  拒绝 {count} 条：{reason}',
  ' (line {lines})': '（第 {lines} 行）',
  'importing {lines} lines': '正在导入 {lines} 行',
  "pulse: {count} rows about this service's own addresses were refused":
    'pulse：拒绝了 {count} 行关于本服务自身地址的数据',
  'pulse: {count} rows about well-known services were refused; --allow-known-good takes them as well':
    'pulse：拒绝了 {count} 行关于公认服务的数据；加 --allow-known-good 可接受',
  'the server refused: {reason}{message}': '服务端拒绝：{reason}{message}',
  'the server asks to wait {seconds} s ({reason})': '服务端要求等待 {seconds} 秒（{reason}）',
  // Phone numbers
  'numbers without + or 00 were read as of mainland China where nothing else fits; --region names their country':
    '没有 + 或 00 的号码，无法按其他方式解析时按中国大陆号码读取；--region 指定国家',
  '{records} lines: {numbers} numbers, {hits} found, {badLength} of a wrong length; {withoutNumber} lines without a number':
    '{records} 行：{numbers} 个号码，命中 {hits} 个，{badLength} 个长度不符；{withoutNumber} 行没有号码',
  '{count} rows': '{count} 行',
  'library {library}, version {dataVersion}: {upserts} written, {deletions} deleted':
    '号码库 {library}，版本 {dataVersion}：写入 {upserts} 条，删除 {deletions} 条',
  ', {records} records': '，共 {records} 条',
  '  refused, {reason}: {count}': '  拒绝，{reason}：{count}',
  'no row of the file can be used: {refused}': '文件中没有可用的行：{refused}',
  'the file is not JSON': '文件不是 JSON',
  'the file is not one JSON object of numbers and dates': '文件不是由号码和日期组成的 JSON 对象',
  'the file has no column {name}': '文件没有列 {name}',
  'the file has no column "number"; name it with --column number=NAME':
    '文件没有列 "number"，请用 --column number=列名 指定',
  'library {library} has no full load yet; import one with --full first':
    '号码库 {library} 还没有全量数据，请先用 --full 导入',
  'library {library} was loaded with another PULSE_SECRET; load it again with --full':
    '号码库 {library} 是用另一个 PULSE_SECRET 导入的，请用 --full 重新导入',
  'a synthetic library of {library} holds at most {space} records': '合成的 {library} 号码库最多 {space} 条',
  // Data and sources
  'not used: {fault}': '未使用：{fault}',
  'no image in {folder}: run `pulse data build`': '{folder} 中没有数据映像，请运行 `pulse data build`',
  'no reading of {name} is in quarantine': '{name} 没有隔离待审的读取',
  '{dir} holds no file of a known source; see docs/feeds.md for the names':
    '{dir} 中没有已知数据源的文件，名称见 docs/feeds.md',
  '{count} files belong to no source: {names}': '{count} 个文件不属于任何数据源：{names}',
  'another process follows a log with {folder}; name a source or folder of its own':
    '另一个进程正在用 {folder} 跟踪日志，请另取数据源名或文件夹',
  'there is no command `tail` here: bring the log to standard input, and name it `-`':
    '本机没有 `tail` 命令：请把日志送到标准输入，并以 `-` 为名',
  'the log is followed no more: {why}': '已不再跟踪日志：{why}',
  '{path} is empty; delete it to have another one made': '{path} 是空的，删除后会重新生成',
  '{path} is not a private key of SSH; delete it to have another one made': '{path} 不是 SSH 私钥，删除后会重新生成',
  // The data folder
  'the data folder {dataDir} is not whole:\n{lines}': '数据文件夹 {dataDir} 不完整：\n{lines}',
  '{dataDir} was written by a newer release of pulse; use that one, or a newer one':
    '{dataDir} 由更新版本的 pulse 写入，请使用该版本或更新的版本',
  '{where} was written by another release of pulse; use that release': '{where} 由另一版本的 pulse 写入，请使用该版本',
  'another process has held {lock} for {seconds} s': '另一个进程占用 {lock} 已 {seconds} 秒',
  'another pulse answers requests from {dataDir}; give each a folder of its own with PULSE_DATA_DIR':
    '另一个 pulse 正在使用 {dataDir}，请用 PULSE_DATA_DIR 为各自指定文件夹',
  'a pulse answers requests from {dataDir}; stop it first': '有 pulse 正在使用 {dataDir}，请先停止它',
  '{parts}: nothing is missing or damaged; nothing was changed': '{parts}：没有缺失或损坏，未做任何更改',
  '{dataDir} holds something else than a demonstration; it is left alone': '{dataDir} 中不是演示数据，未改动',
  '{dataDir} holds a demonstration; choose another PULSE_DATA_DIR, or serve with --demo':
    '{dataDir} 中是演示数据，请另选 PULSE_DATA_DIR，或用 --demo 启动',
  'a demonstration keeps to its own folder; unset {names}': '演示只使用自己的文件夹，请取消设置 {names}',
  '{path} is missing; restore it from a backup, or see what `pulse serve` says of this folder':
    '缺少 {path}：请从备份恢复，或看 `pulse serve` 对此文件夹的说明',
  '{path} {fault}; restore it from a backup, or see what `pulse serve` says of this folder':
    '{path} {fault}：请从备份恢复，或看 `pulse serve` 对此文件夹的说明',
  '{path} cannot be used as the evidence database ({why}): restore it from a backup, or move it away, and new evidence is taken':
    '{path} 不能用作证据数据库（{why}）：请从备份恢复；移走它则从空库开始',
  'the database of PULSE_DATABASE_URL cannot be reached ({answer})': '无法连接 PULSE_DATABASE_URL 的数据库（{answer}）',
  '{place} holds a former secret until {until}; end it first with: pulse secret forget':
    '{place} 中的旧主密钥保留到 {until}，请先运行：pulse secret forget',
  '{place} holds no former secret': '{place} 中没有旧主密钥',
  '{place} holds no secret; the first start makes one': '{place} 中没有主密钥，首次启动时会生成',
  '{out} is there already': '{out} 已存在',
  'PULSE_SECRET cannot be changed from here: name a file for the new text with --out':
    'PULSE_SECRET 无法在这里修改，请用 --out 指定写入新内容的文件',
  "{path} is another user's; run this as its owner": '{path} 属于其他用户，请以其所有者运行',
  // Agents
  'The argument ips is missing.': '缺少参数 ips。',
  'The only argument is ip.': '只有一个参数 ip。',
  'The only argument is ips.': '只有一个参数 ips。',
  'The argument ip must be a string.': '参数 ip 应为字符串。',
  'The argument ips must be a list of 1 to {max} strings.': '参数 ips 应为 1 到 {max} 个字符串的列表。',
  'There is no tool of this name; there are {names}.': '没有这个名称的工具；现有：{names}。',
  'There is no record for this address.': '没有这个地址的记录。',
  'This is a network; name one of its addresses.': '这是一个网段，请给出其中一个地址。',
  'This holds several addresses; use ip_risk_batch.': '这里有多个地址，请用 ip_risk_batch。',
  'Parse error: the body is not valid JSON.': '解析错误：请求体不是有效的 JSON。',
  'Invalid request: batches are not supported.': '无效请求：不支持批量消息。',
  'Invalid request: not a JSON-RPC message.': '无效请求：不是 JSON-RPC 消息。',
  'Invalid params: they are not of the form that the method takes.': '无效参数：不符合该方法的形式。',
  'Method not found: this server sends nothing by itself.': '没有这个方法：本服务不主动发送消息。',
  'Connect to {endpoint} and sign in: a free account has {more}.': '连接 {endpoint} 并登录：免费账户有{more}。',
  'a larger daily allowance': '更大的每日额度',
  '{count} look-ups a day': '每天 {count} 次查询',
  'Choose a larger plan, or wait for the reset.': '请选择更大的套餐，或等待额度重置。',
  '{remaining} of {limit} look-ups are left until {at}.': '在 {at} 之前还可查询 {remaining} 次，共 {limit} 次。',
  'X-API-Key and Authorization carry different keys.': 'X-API-Key 与 Authorization 中的密钥不同。',
  'This key may send evidence and do nothing else.': '此密钥只能上报证据。',
  'Usage cannot be recorded now; retry shortly.': '暂时无法记录用量，请稍后重试。',
  'The account store cannot be reached; retry shortly.': '暂时无法连接账户存储，请稍后重试。',
  // The system
  'this user may not read or write it': '当前用户无权读写',
  'this user may not change it': '当前用户无权修改',
  'it is on a file system that cannot be written to': '所在文件系统不可写',
  'it is a folder, not a file': '是文件夹，不是文件',
  'a part of the path is a file, not a folder': '路径中有一段是文件，不是文件夹',
  'it is not there, or its folder is not': '不存在，或所在文件夹不存在',
  'the disk is full': '磁盘已满',
  'the disk quota is used up': '磁盘配额已用完',
  'this process has too many files open': '本进程打开的文件过多',
  'another process listens there': '该端口已被其他进程占用',
  'it is not an address of this machine': '不是本机的地址',
  // Settings
  'configuration is not usable:\n{faults}': '配置有误：\n{faults}',
  '{name}: {path} cannot be read ({code})': '{name}：无法读取 {path}（{code}）',
  '{name}: there is no such setting; the nearest is {nearest}': '{name}：没有这个设置，最接近的是 {nearest}',
  '{name}: expected a whole number from {min} to {max}': '{name}：应为 {min} 到 {max} 的整数',
  '{name}: expected on or off': '{name}：应为 on 或 off',
  '{name}: expected a URL starting with {protocols}': '{name}：应为以 {protocols} 开头的 URL',
  '{name}: expected at least 32 characters': '{name}：至少 32 个字符',
  'PULSE_BASE_URL: expected an address without a path, query or user':
    'PULSE_BASE_URL：应为不含路径、查询串和用户名的地址',
  'PULSE_HOST: expected an address or a host name': 'PULSE_HOST：应为地址或主机名',
  'PULSE_HOST: {host} is not an address of this machine': 'PULSE_HOST：{host} 不是本机的地址',
  'PULSE_PORT: this user may not listen on port {port}': 'PULSE_PORT：当前用户无权监听端口 {port}',
  'port {port} on {host} is in use; choose another with PULSE_PORT':
    '{host} 的端口 {port} 已被占用，请用 PULSE_PORT 另选',
  'PULSE_DATA_DIR: {dataDir} is not a folder': 'PULSE_DATA_DIR：{dataDir} 不是文件夹',
  'PULSE_QUOTA_TZ: expected an IANA time zone such as Asia/Shanghai':
    'PULSE_QUOTA_TZ：应为 IANA 时区，例如 Asia/Shanghai',
  'PULSE_TRUSTED_PROXIES: {entry} is not an address or CIDR': 'PULSE_TRUSTED_PROXIES：{entry} 不是地址或 CIDR',
  'PULSE_SECRET_FILE: PULSE_SECRET is set as well; set one of the two':
    'PULSE_SECRET_FILE：同时设置了 PULSE_SECRET，两者只能设置一个',
  'PULSE_LOG: expected one of {values}': 'PULSE_LOG：应为其中之一：{values}',
  'PULSE_FEEDS: {feeds} is neither auto, off, a folder that exists nor an address':
    'PULSE_FEEDS：{feeds} 不是 auto、off、已存在的文件夹或网址',
  'PULSE_SNAPSHOT_URL: expected a folder path, file:// or s3://bucket/prefix':
    'PULSE_SNAPSHOT_URL：应为文件夹路径、file:// 或 s3://bucket/prefix',
  'PULSE_METRICS: expected off, or an address and a port such as 127.0.0.1:9464':
    'PULSE_METRICS：应为 off，或地址加端口，例如 127.0.0.1:9464',
  'PULSE_SIGNUP: expected one of {values}': 'PULSE_SIGNUP：应为其中之一：{values}',
  'PULSE_SIGNUP: mail needs PULSE_SMTP_URL': 'PULSE_SIGNUP：mail 需要设置 PULSE_SMTP_URL',
} as const satisfies Record<string, string>;

export type Text = keyof typeof CHINESE;

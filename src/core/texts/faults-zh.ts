/** Chinese of faults and remarks that reach the person at the terminal as English text: from other threads, from files, or as the message of a problem. */
export const FAULTS_ZH = {
  'columns {names} may each be the address: name the one that is meant ip':
    '{names} 列都可能是地址：请把所指的那一列命名为 ip',
  'line {line} names no address and the next one has one: {text}. Name the column of the addresses ip, that of their times captured_at':
    '第 {line} 行没有地址，而下一行有：{text}。请把地址列命名为 ip，时间列命名为 captured_at',
  'it is a JSON document; one object a line is read: jq -c .[] FILE | pulse … -':
    '它是 JSON 文档；只读取每行一个对象：jq -c .[] FILE | pulse … -',
  'it is an HTML or XML document, not a list': '它是 HTML 或 XML 文档，不是名单',
  '{file} cannot be read as a list: {why}': '{file} 无法作为名单读取：{why}',
  '{file} is empty: it has neither a row nor a header': '{file} 为空：既没有数据行也没有首部',
  // Problems of commands
  'There is no account {id}.': '没有账户 {id}。',
  'There is no key {id}.': '没有密钥 {id}。',
  'There is no beacon {id}.': '没有信标 {id}。',
  'A list is named with a lower-case letter, then letters, digits and underscores, at most 24.':
    '列表名以小写字母开头，其后为字母、数字和下划线，最多 24 个字符。',
  'nft keeps this name for itself; choose another, such as my_list.': '该名称是 nft 的保留字，请换一个，例如 my_list。',
  '{signals} come from network data, which is only in lists of operator accounts.':
    '{signals} 来自网络数据，只有运维账户的列表含有。',
  'There are at most {max} lists; remove one first.': '列表最多 {max} 个，请先删除一个。',
  'There is no list {name}.': '没有列表 {name}。',
  'There is no override {id}.': '没有人工修正 {id}。',
  'There is no source {id}.': '没有来源 {id}。',
  'No captures came by the key {id}.': '没有由密钥 {id} 上报的捕获。',
  'There is no plan {plan}; there are: {names}.': '没有套餐 {plan}；现有：{names}。',
  'There is an account with this e-mail address already.': '已有使用该邮箱的账户。',
  'The e-mail address is not one.': '不是有效的邮箱。',
  'The password is too short: at least 10 characters.': '密码过短：至少 10 个字符。',
  'The password is too long: at most 256 characters.': '密码过长：最多 256 个字符。',
  'The password is one of those that are tried first.': '该密码属于最先被尝试的一类。',
  'The name of a key has at most {max} characters.': '密钥名称最多 {max} 个字符。',
  'The name of a key may not hold control characters or others that are not seen.':
    '密钥名称不能含控制字符或不可见字符。',
  'A send-only key has a source, under whose name alone it speaks.': '仅上报密钥须有来源，且只能以该名称上报。',
  'The kinds of a send-only key are one or more of {kinds}.': '仅上报密钥的类型应为其中若干个：{kinds}。',
  'Only keys of operator accounts may send evidence.': '只有运维账户的密钥可以上报证据。',
  'A source has a name of lower-case letters, digits, dots, dashes and underscores, at most 64.':
    '来源名称由小写字母、数字、点、连字符和下划线组成，最多 64 个字符。',
  'The service itself captures under the name {name}.': '名称 {name} 由本服务自己使用。',
  '{name} is a list of the catalogue; senders have names of their own.':
    '{name} 是数据源目录中的名单，上报者须用自己的名称。',
  'The name of a pool has at most {max} characters.': '资源池名称最多 {max} 个字符。',
  'The name of a pool may not hold control characters or others that are not seen.':
    '资源池名称不能含控制字符或不可见字符。',
  'There are at most {max} beacons in use; revoke one first.': '使用中的信标最多 {max} 个，请先吊销一个。',
  'The prefix must be an address or a prefix such as 192.0.2.0/24.': '应为地址或网段，例如 192.0.2.0/24。',
  'The prefix may be no wider than /{widest} in IPv{family}.': 'IPv{family} 网段不得宽于 /{widest}。',
  'The kind must be one of {kinds}.': '类型应为其中之一：{kinds}。',
  'ipv6_range is a kind of IPv6 prefixes.': 'ipv6_range 只用于 IPv6 网段。',
  'The reason must be a line of 1 to {max} characters.': '原因应为一行，1 到 {max} 个字符。',
  'The end must be a moment to come.': '结束时间须晚于现在。',
  'There are at most {max} overrides in force; remove one first.': '生效中的人工修正最多 {max} 个，请先结束一个。',
  'Captures are taken back from a moment until before a later one.': '撤回的起始时间须早于结束时间。',
  'It is {now}: what is captured later cannot be taken back yet; revoke the key.':
    '现在是 {now}：此后的捕获还不能撤回，请吊销密钥。',
  'Derived captures follow from those of sensors: withdraw the trust of these.':
    '派生捕获来自传感器的捕获：请撤回对这些传感器的信任。',
  'Say why the trust is withdrawn.': '请说明撤回信任的原因。',
  'A reason has at most {max} characters, and none that are not seen.': '原因最多 {max} 个字符，且不含不可见字符。',
  'It is {now}: a change of trust cannot begin later.': '现在是 {now}：信任的更改不能从此后开始。',
  // Of the command and of other threads
  stopped: '已停止',
  'another import into the phone libraries is under way': '另一个号码库导入正在进行',
  '{path} is damaged; delete it to accept what is published now': '{path} 已损坏；删除它即可接受现在发布的内容',
  // The data folder
  '{what}. Put back what was there, or go on without {loss}: {command}':
    '{what}。请放回原来的内容；或舍弃{loss}并继续：{command}',
  '{what}. Move them: `pulse data export DIR` with the setting as it was, then `pulse data import DIR` with this one and an empty data folder. Or set it back, or go on without {loss}: {command}':
    '{what}。可以迁移：用原设置运行 `pulse data export DIR`，再用现设置和空的数据文件夹运行 `pulse data import DIR`。也可改回原设置；或舍弃{loss}并继续：{command}',
  '{file} is not the one that this folder was used with': '{file} 不是此文件夹原来使用的那一个',
  '{part} of this folder were kept in the folder, and PULSE_DATABASE_URL is set now':
    '此文件夹的 {part} 原在文件夹中，现在设置了 PULSE_DATABASE_URL',
  '{part} of this folder were kept in PostgreSQL, and PULSE_DATABASE_URL is not set now':
    '此文件夹的 {part} 原在 PostgreSQL 中，现在没有设置 PULSE_DATABASE_URL',
  '{file} {how}: {readable:record|records} can be read and {unreadable} cannot':
    '{file} {how}：{readable} 条记录可读，{unreadable} 条不可读',
  'the charges in it, so that callers may use them again': '其中的用量，调用方可再次使用',
  'the knowledge of what belongs in this folder': '“此文件夹应有什么”的记录',
  '{file} is missing': '缺少 {file}',
  '{file} is missing, and {needed}': '缺少 {file}，而{needed}',
  '{file} is empty': '{file} 为空',
  '{file} {how}': '{file} {how}',
  'is damaged': '已损坏',
  'is damaged {where}': '已损坏：{where}',
  'is damaged ({why})': '已损坏（{why}）',
  'is not a file': '不是文件',
  'belongs to another program': '属于其他程序',
  'holds bytes that are not text': '含有不是文本的字节',
  'holds fewer than {min} characters': '不足 {min} 个字符',
  'holds a text that can be guessed: few different characters, or one piece over and over':
    '内容容易被猜中：不同字符过少，或一段反复出现',
  'holds a line {line} that is not one of `pulse secret rotate`': '第 {line} 行不是 `pulse secret rotate` 写入的',
  'should hold {bytes} bytes and holds {found}': '应有 {bytes} 字节，实有 {found} 字节',
  'holds eight equal bytes': '八个字节全部相同',
  'pulse.db holds API keys that were made with it': 'pulse.db 中有用它生成的 API 密钥',
  'the charges next to it can be assigned only with it': '旁边的用量记录只有用它才能对应到调用方',
  'every API key, session, authorised app and pool handle, and the phone libraries, which have to be loaded again':
    '所有 API 密钥、登录会话、已授权应用、资源池句柄，以及须重新导入的号码库',
  'all accounts, plans, API keys, sessions, authorised apps and the audit log':
    '所有账户、套餐、API 密钥、登录会话、已授权应用和审计日志',
  'every capture and its history, except what sources say again': '所有捕获及其历史（来源会再次给出的除外）',
  'what every caller has used today, and the use of past days: all counters start at 0':
    '每个调用方今日及过去各日的用量：所有计数从 0 开始',
  '{place} was written by another release of pulse (its tables are those of {migration}); use that release':
    '{place} 由另一版本的 pulse 写入（其表结构为 {migration}），请使用该版本',
  '{place} was written by another release of pulse, from before {release}, and cannot be upgraded: go on with that release, or start again over an empty PULSE_DATA_DIR (and an empty database), where `pulse evidence import` takes your captures again':
    '{place} 由 {release} 之前的另一版本 pulse 写入，无法升级：请继续使用该版本，或以空的 PULSE_DATA_DIR（及空数据库）重新开始，再用 `pulse evidence import` 导入自有捕获',
  '{place} lacks tables or columns that another program removed, of {names}: restore a backup':
    '{place} 中 {names} 的表或列已被其他程序移除：请恢复备份',
  // Steps of the build of place and network data
  'preparing place and network data: {step}': '正在准备地理与网络数据：{step}',
  'read {layer} IPv{family}': '读取 {layer} IPv{family}',
  'merge places IPv{family}': '合并地理 IPv{family}',
  'merge networks IPv{family}': '合并网络 IPv{family}',
  'encode places': '编码地理数据',
  'verify and write': '校验并写入',
  'fetch {layer}': '获取 {layer}',
  'verify {layer} of {version}': '校验 {version} 的 {layer}',
  // Files of layers and of networks
  '{file}: {why}': '{file}：{why}',
  '{file}: {why} at byte {offset}': '{file}：字节 {offset} 处，{why}',
  '{file}: {why} at line {line}': '{file}：第 {line} 行，{why}',
  '{file}: {why}; the file is not used': '{file}：{why}；未使用该文件',
  'cannot be read: {why}': '无法读取：{why}',
  '{file} is a file where a folder should be; move it away or delete it ({code})':
    '{file} 处应为文件夹，却是文件；请移走或删除（{code}）',
  '{folder} cannot be read and is left out: {why}': '{folder} 无法读取，已略去：{why}',
  'layers.json: {file} has the unknown kind {kind}': 'layers.json：{file} 的类型 {kind} 未知',
  'layers.json names {file}, which is not there': 'layers.json 所列的 {file} 不存在',
  'layers is not a list': 'layers 不是列表',
  'off is not a list of ids': 'off 不是 ID 列表',
  'publishers is not an object of lists of addresses': 'publishers 不是由网址列表组成的对象',
  'layer {number}: {why}': '第 {number} 个数据层：{why}',
  'expected {"layers": [{"file": …}]}': '应为 {"layers": [{"file": …}]}',
  'expected {"file": …}': '应为 {"file": …}',
  'file is not a text': 'file 不是文本',
  'id is not a text': 'id 不是文本',
  'kind is not a text': 'kind 不是文本',
  'role is not a text': 'role 不是文本',
  'version is not a text': 'version 不是文本',
  'licence is not a text': 'licence 不是文本',
  'attribution is not a text': 'attribution 不是文本',
  'order is not a number': 'order 不是数字',
  'the package {name} is not installed: {why}': '没有安装软件包 {name}：{why}',
  '{folder}: files of {layer} of {version} are missing, or changed since they were fetched; the shipped ones of {shipped} are used':
    '{folder}：{layer} 的 {version} 版文件缺失，或在下载后被改动；改用随附的 {shipped} 版',
  'its content of {after} is older than that of {before}': '内容日期 {after}，早于现有的 {before}',
  'it covers {share} of the IPv{family} space of the former one, less than {min}':
    '只覆盖原有 IPv{family} 空间的 {share}，不足 {min}',
  'it says nothing about any address': '没有关于任何地址的内容',
  '{moved} of {known} sample addresses changed, such as {address} from {before} to {after}':
    '{known} 个样本地址中有 {moved} 个改变，例如 {address} 由 {before} 变为 {after}',
  'id must be lower-case letters, digits, dots and dashes': 'id 应由小写字母、数字、点和连字符组成',
  'version must be a text': 'version 应为文本',
  'family must be a text': 'family 应为文本',
  'has neither prefixes nor asns': '既无 prefixes 也无 asns',
  '{value} is not an AS number': '{value} 不是 AS 号',
  '{value} is not a usage code': '{value} 不是网络类型代码',
  '{value} is not a prefix': '{value} 不是网段',
  'country is two capital letters, and only with anycast': 'country 应为两个大写字母，且只与 anycast 同用',
  'effect says nothing': 'effect 没有内容',
  'holds no rows': '没有数据行',
  'no header with network, or start and end, and no known form without one':
    '没有含 network 或 start 与 end 的表头，也不是已知的无表头格式',
  'row has no readable range': '该行没有可读的地址范围',
  'range ends before it starts': '地址范围的结束早于开始',
  '{bad} of {rows:row is|rows are} bad, the first: {why}': '共 {rows} 行，其中 {bad} 行无效，第一处：{why}',
  '{file}: nothing in it is used: no country by its code, no AS number, no usage code':
    '{file}：其中没有可用的内容：没有国家代码、AS 号或用途代码',
  '{file}: left out {rows:row|rows} without a readable range': '{file}：{rows} 行没有可读的地址范围，已略去',
  '{file}: countries other than codes of ISO 3166-1 are left out: {countries}':
    '{file}：不是 ISO 3166-1 代码的国家已略去：{countries}',
  'records lie over one another': '记录相互重叠',
  'values lie over one another': '值相互重叠',
  'index points outside the data': '索引指向数据之外',
  'index does not fit the file, truncated or no ip2region .db': '索引与文件不符：文件被截断，或不是 ip2region .db',
  'no xdb header of version 2 or 3': '没有第 2 或第 3 版的 xdb 文件头',
  'file ends inside its index, truncated': '文件在索引中结束：被截断',
  'no IPDB header': '没有 IPDB 文件头',
  'tree of {nodes} nodes runs past the file': '{nodes} 个节点的树超出文件',
  'header names {named} bytes of data, the file has {found}': '文件头标明 {named} 字节数据，实有 {found} 字节',
  'tree is deeper than an address': '树比地址更深',
  'tree folds back on itself': '树折回自身',
  'tree points outside the data': '树指向数据之外',
  'no MMDB metadata marker, the file is truncated or no MMDB': '没有 MMDB 元数据标记：文件被截断，或不是 MMDB',
  'metadata has no usable {key}': '元数据中没有可用的 {key}',
  'record size {size} is none of 24, 28, 32': '记录长度 {size} 不是 24、28 或 32',
  'ip_version {version} is neither 4 nor 6': 'ip_version {version} 既不是 4 也不是 6',
  'search tree of {nodes} nodes runs past the data': '{nodes} 个节点的查找树超出数据',
  'search tree points outside the data section': '查找树指向数据段之外',
  'search tree folds back on itself': '查找树折回自身',
  'search tree is deeper than an address': '查找树比地址更深',
  'value runs past the data section': '值超出数据段',
  'map key is not a text': '映射的键不是文本',
  'pointer leaves the data section': '指针指向数据段之外',
  'values nest too deep': '值嵌套过深',
  'unknown data type {type}': '未知的数据类型 {type}',
  'is none of MMDB, IPDB, xdb, ip2region .db, CSV, geofeed': '不是 MMDB、IPDB、xdb、ip2region .db、CSV、geofeed 之一',
  'usage_type has more than {max} different values, so they are not codes':
    'usage_type 有超过 {max} 个不同的值，因此不是代码',
  // Remarks of the doctor
  'in order': '正常',
  '{store} at {address} ({setting}) cannot be used: {cause}. {remedy}. Meanwhile {meanwhile}':
    '{address} 的{store}（{setting}）无法使用：{cause}。{remedy}。此间{meanwhile}',
  PostgreSQL: ' PostgreSQL',
  Redis: ' Redis',
  'the place of images': '映像存放处',
  'the mail server': '邮件服务器',
  'company sign-on': '公司登录',
  'the receiver of audit rows': '审计记录接收端',
  'lookups and keys used lately are answered, everything else that needs it is refused':
    '查询与近期用过的密钥照常应答，其余需要它的请求会被拒绝',
  'lookups are counted by each node alone, phone lookups are refused': '各节点各自计数查询，号码查询会被拒绝',
  'nodes answer from the images that they have': '各节点以已有的映像应答',
  'no mail is sent': '不会发出邮件',
  'people sign in by password alone': '只能用密码登录',
  'rows wait for it': '记录等待它恢复',
  'Start it, or correct the address': '请启动它，或更正地址',
  'Correct the name, or look at the DNS of this machine': '请更正名称，或检查本机的 DNS',
  'Look at its log, and at the network and firewalls in between': '请查看它的日志，以及途中的网络与防火墙',
  'Correct user and password in the address': '请更正地址中的用户名和密码',
  'Create it (deploy/postgres/make-role.sql), or correct the name':
    '请创建它（deploy/postgres/make-role.sql），或更正名称',
  'Look at its log; does something else listen there?': '请查看它的日志；监听的是否另有其物？',
  'Mend the cause, or correct the setting': '请排除原因，或更正设置',
  'Redis at {address} (PULSE_REDIS_URL) has maxmemory-policy {policy}: with its memory full it drops counters, and callers get more than their quota. Set noeviction':
    '{address} 的 Redis（PULSE_REDIS_URL）的 maxmemory-policy 为 {policy}：内存用尽时会丢弃计数，调用方可超出额度。请设为 noeviction',
  '{dataDir} has {mib} MiB left: free disk space before charges and captures are refused':
    '{dataDir} 只剩 {mib} MiB：请在计费与采集被拒绝之前释放磁盘空间',
  'PULSE_WORKERS: this system does not spread a port over threads; expected 1':
    'PULSE_WORKERS：此系统不能让多个线程共用一个端口，应为 1',
  // Why a store cannot be used
  'nothing listens at the address': '该地址没有服务在监听',
  'the name of its host is not known': '主机名无法解析',
  'it does not answer': '没有应答',
  'it refuses user or password of the address': '拒绝地址中的用户名或密码',
  'there is no database of this name': '没有该名称的数据库',
  'its user lacks a right; make it the owner of the database': '用户缺少权限，请设为数据库的所有者',
  'its connections are used up; raise max_connections, or put a pooler in front':
    '连接数已用尽：请调高 max_connections，或在前面加连接池',
  'its disk is full': '磁盘已满',
  'it is read-only, as a standby is; lead the address to the primary': '处于只读状态（如备库）：请把地址指向主库',
  'it is starting or recovering': '正在启动或恢复',
  'it was stopped': '已停止',
  'it is a Redis Cluster, which cannot keep one count in the order of its charges; name a single server, or a TCP proxy that leads to the primary':
    '这是 Redis Cluster，无法按计费顺序保持同一计数：请填写单台服务器，或指向主节点的 TCP 代理',
  'it is a read-only replica; lead the address to the primary': '这是只读副本：请把地址指向主节点',
  'its maxmemory is used up; raise it, with maxmemory-policy noeviction':
    'maxmemory 已用尽：请调高，并设 maxmemory-policy noeviction',
  'its user lacks the right to a command; it needs +@all on ~pulse:*': '用户缺少某命令的权限：需要对 ~pulse:* 的 +@all',
  'it loads its data': '正在加载数据',
  'it cannot write to its disk and refuses changes': '无法写入磁盘，拒绝更改',
  'the connection is closed': '连接已关闭',
  'its TLS cannot be used': 'TLS 无法使用',
  'the credentials have no right to read it': '凭据没有读取权限',
  'there are no credentials (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY or a profile)':
    '没有凭据（AWS_ACCESS_KEY_ID、AWS_SECRET_ACCESS_KEY 或配置文件）',
  'the access key is not known': '访问密钥不存在',
  'there is no bucket of this name': '没有该名称的存储桶',
  "this machine's clock differs too much from the store's": '本机时钟与存储的时钟相差过大',
  'the secret key is wrong': '密钥错误',
  '{place} (PULSE_SNAPSHOT_URL) does not exist or holds no image: start an ingest node, which publishes them, or correct the setting':
    '{place}（PULSE_SNAPSHOT_URL）不存在或没有映像：请启动发布映像的 ingest 节点，或更正设置',
  'no published image was taken yet: an ingest node publishes them': '尚未取得已发布的映像：由 ingest 节点发布',
  'there are {mib} MiB of memory, and a first start needs {needed}': '内存只有 {mib} MiB，首次启动需要 {needed}',
  'this user may open {open:file|files}, room for {connections} connections: raise it (ulimit -n, LimitNOFILE=)':
    '当前用户可打开 {open} 个文件，仅够 {connections} 个连接：请调高（ulimit -n、LimitNOFILE=）',
  'this clock is {seconds} s ahead of {name}: ages and allowances are wrong by it; set it':
    '本机时钟比 {name} 快 {seconds} 秒：时龄和额度会因此出错，请校准',
  'this clock is {seconds} s behind {name}: ages and allowances are wrong by it; set it':
    '本机时钟比 {name} 慢 {seconds} 秒：时龄和额度会因此出错，请校准',
  'sources were read {seconds} s in the future: the clock was set back':
    '数据源的读取时间在未来 {seconds} 秒：时钟被调回过',
  'Pulse {version}, Node {runtime}{stores}': '版本：Pulse {version}，Node {runtime}{stores}',
  'Node {runtime} runs this, and tests ran with {pinned}: start by npm start or the image':
    '正在使用 Node {runtime}，而测试用的是 {pinned}：请用 npm start 或镜像启动',
  '{names} fail: {why}': '{names} 读取失败：{why}',
  '{fault}, unless it is this service that listens there': '{fault}（除非正是本服务在监听）',
  '{file}: a crash left its end unfinished; the records before it are counted':
    '{file}：上次崩溃使末尾未写完，此前的记录均已计入',
  'PULSE_FEEDS is off: no source is read': 'PULSE_FEEDS 已关闭：不读取任何数据源',
  'never read, see `pulse feeds list`: {names}': '尚未读取，见 `pulse feeds list`：{names}',
  'late, see `pulse feeds show NAME`: {names}': '逾期，见 `pulse feeds show 名称`：{names}',
  'retired, replace them or `pulse feeds off NAME`: {names}':
    '已停更，请换用其他来源或 `pulse feeds off 名称`：{names}',
  'in quarantine, see `pulse feeds show NAME`: {names}': '隔离中，见 `pulse feeds show 名称`：{names}',
  '{id} fails: {why}': '{id} 读取失败：{why}',
  'other users of this machine may enter the data folder (mode {mode}); close it with: chmod -R go= {path}':
    '本机其他用户可进入数据文件夹（权限 {mode}）；请用 chmod -R go= {path} 关闭',
  'other users of this machine may read the secret of PULSE_SECRET_FILE (mode {mode}); close it with: chmod go= {path}':
    '本机其他用户可读取 PULSE_SECRET_FILE 的主密钥（权限 {mode}）；请用 chmod go= {path} 关闭',
  '{place} can be guessed: few different characters, or one piece over and over':
    '{place} 容易被猜中：不同字符过少，或一段反复出现',
  'PULSE_TRUSTED_PROXIES names more public space than a /8 (IPv6: a /16): a caller from there chooses by X-Forwarded-For the address that is counted. Name the addresses of your proxies alone':
    'PULSE_TRUSTED_PROXIES 包含的公网地址多于一个 /8（IPv6：/16）：其中的任何人都可用 X-Forwarded-For 自选被计数的地址。请只填写你的代理的地址',
  'PULSE_DECIDE_KEY_FILE: every request for /v1/decide through PULSE_TRUSTED_PROXIES has this key. A proxy that publishes this service too must close that path to visitors, as those of deploy/proxy do':
    'PULSE_DECIDE_KEY_FILE：经 PULSE_TRUSTED_PROXIES 到达 /v1/decide 的每个请求都使用该密钥。同时对外发布本服务的代理必须对访客关闭该路径，如 deploy/proxy 中的配置',
  '{count:question|questions} to /v1/decide since the start had no client whose address can be read, and no verdict: a proxy of PULSE_TRUSTED_PROXIES sends no X-Forwarded-For, or a broken one':
    '启动以来有 {count} 次对 /v1/decide 的询问没有可读的客户端地址，因而没有结论：PULSE_TRUSTED_PROXIES 中的某个代理未发送 X-Forwarded-For 或内容有误',
  'every visitor of {address} can make an account: PULSE_SIGNUP is open':
    '{address} 的任何访客都能创建账户：PULSE_SIGNUP 为 open',
  'the base URL {address} is http on a public address: passwords, keys and session cookies travel unencrypted. Put TLS in front (deploy/proxy) and set PULSE_BASE_URL to https://…':
    '访问地址 {address} 是公网上的 http：密码、密钥和会话 cookie 未加密传输。请在前面启用 TLS（deploy/proxy），并把 PULSE_BASE_URL 设为 https://…',
  '{ofHost}: {host} is not an address of this machine': '{ofHost}：{host} 不是本机的地址',
  'PULSE_DATABASE_URL: expected target_session_attrs read-write or primary; pulse writes':
    'PULSE_DATABASE_URL：target_session_attrs 应为 read-write 或 primary；pulse 需要写入',
  '{ofPort}: this user may not listen on port {port}': '{ofPort}：当前用户无权监听端口 {port}',
  'port {port} on {host} is in use; choose another with {ofPort}': '{host} 的端口 {port} 已被占用，请用 {ofPort} 另选',
  'no image in {folder}: run `pulse data build`': '{folder} 中没有数据映像，请运行 `pulse data build`',
  '{dataDir} was written by a newer release of pulse; use that one, or a newer one':
    '{dataDir} 由更新版本的 pulse 写入，请使用该版本或更新的版本',
  'the beacon was revoked': '信标已吊销',
} as const satisfies Record<string, string>;

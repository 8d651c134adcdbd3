// Sentences of the programs that start on the machine's own Node, in the language of the person at the terminal. They come before the packages and the pinned Node, so
// src/core/texts is out of their reach. Runs on Node 14.
const CHINESE = {
  'this is Node {version}, and Node {least} or newer is needed to start (the service itself runs on a Node of its own)':
    '当前 Node 为 {version}，启动需要 Node {least} 或更新版本（服务本身使用自带的 Node）',
  'node_modules is missing or is not what package-lock.json names, and PULSE_NO_INSTALL is set: run {command}':
    'node_modules 缺失或与 package-lock.json 不符，而设置了 PULSE_NO_INSTALL：请运行 {command}',
  'installing dependencies (up to a minute, only the first time)': '正在安装依赖（最多一分钟，仅首次）',
  'installing what builds the site (up to a minute, only the first time)':
    '正在安装构建站点所需的包（最多一分钟，仅首次）',
  'npm {command} failed': 'npm {command} 失败',
  'the pinned Node for {platform} is not installed: set PULSE_NODE to a Node of your own, {least} or newer':
    '没有安装 {platform} 的指定 Node：请把 PULSE_NODE 设为你自己的 Node（{least} 或更新版本）',
  'the pinned Node for {platform} is not installed, and this Node is {version}: run npm ci, or set PULSE_NODE to a Node of your own, {least} or newer':
    '没有安装 {platform} 的指定 Node，当前 Node 为 {version}：请运行 npm ci，或把 PULSE_NODE 设为你自己的 Node（{least} 或更新版本）',
  'PULSE_NODE names {file}, which is not a Node that runs here': 'PULSE_NODE 指向 {file}，它不是可在本机运行的 Node',
  'PULSE_NODE names Node {version}: Node {least} or newer is needed':
    'PULSE_NODE 指向 Node {version}：需要 Node {least} 或更新版本',
  'data/runtime.sha256 has no line for {path}: nothing was started': 'data/runtime.sha256 中没有 {path}：未启动',
  'the SHA-256 of {path} is {found}, but data/runtime.sha256 has {expected}: nothing was started. Remove node_modules and run npm ci; if the digest stays, do not use this file, and set PULSE_NODE to a Node of your own':
    '{path} 的 SHA-256 为 {found}，而 data/runtime.sha256 中为 {expected}：未启动。请删除 node_modules 并运行 npm ci；若摘要仍不符，请勿使用该文件，并把 PULSE_NODE 设为你自己的 Node',
  'waiting for process {owner}, which installs dependencies ({lock})': '等待进程 {owner} 安装依赖（{lock}）',
  'building the site': '正在构建站点',
  'the site is built': '站点已构建',
  'the site was not built; the API serves': '站点未能构建，API 正常提供服务',
};

const { LC_ALL, LC_MESSAGES, LANG } = process.env;
const named = /(?:^| )--lang[= ](\w+)/.exec(process.argv.slice(2).join(' '));
const isChinese = (named ? named[1] : LC_ALL || LC_MESSAGES || LANG || '').startsWith('zh');

/** A sentence with its slots filled. */
export const say = (sentence, values = {}) =>
  ((isChinese && CHINESE[sentence]) || sentence).replace(/\{(\w+)\}/g, (_, slot) => values[slot]);

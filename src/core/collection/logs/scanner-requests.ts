/**
 * - `paths`: lower-case prefixes match at the root and below one folder.
 * - `statuses`: this server answers requests for missing files with these statuses. A request that was served is not
 *   evidence.
 */
export interface ScannerRequests {
  readonly paths: readonly string[];
  readonly statuses: readonly number[];
}

/**
 * The default paths are files with secrets, administration pages, and known holes of software and devices. A
 * server that has one of them answers with another status than those listed.
 */
export const SCANNER_REQUESTS: ScannerRequests = {
  paths: [
    '/.env',
    '/.git/',
    '/.svn/',
    '/.aws/',
    '/.ssh/',
    '/.vscode/',
    '/.ds_store',
    '/.htpasswd',
    '/id_rsa',
    '/wp-config',
    '/config.json',
    '/backup.sql',
    '/dump.sql',
    '/wp-login.php',
    '/wp-admin',
    '/wp-includes/',
    '/wp-content/plugins/',
    '/xmlrpc.php',
    '/administrator/',
    '/phpmyadmin',
    '/pma/',
    '/myadmin',
    '/adminer',
    '/vendor/phpunit/',
    '/phpinfo',
    '/info.php',
    '/shell.php',
    '/eval-stdin.php',
    '/thinkphp',
    '/index.php?s=/index/',
    '/cgi-bin/',
    '/_ignition/',
    '/actuator',
    '/solr/',
    '/manager/html',
    '/jenkins',
    '/console/login',
    '/hudson',
    '/geoserver',
    '/druid/',
    '/nacos',
    '/struts',
    '/invoker/',
    '/jmx-console',
    '/hnap1',
    '/boaform/',
    '/gponform/',
    '/setup.cgi',
    '/goform/',
    '/tmunblock.cgi',
    '/cgi/',
    '/dana-na/',
    '/remote/fgt_lang',
    '/remote/login',
    '/owa/auth',
    '/ecp/',
    '/autodiscover/',
    '/mgmt/tm/',
    '/tmui/',
    '/+cscoe+/',
    '/global-protect/',
    '/sslvpn',
    '/sdk',
    '/evox/about',
    '/nmaplowercheck',
    '/shell?',
    '/telescope',
    '/server-status',
    '/debug/default/view',
    '/v2/_catalog',
    '/_cat/',
    '/_all_dbs',
    '/api/v1/pods',
    '/containers/json',
    '/druid',
    '/laravel',
    '/symfony',
  ],
  statuses: [400, 401, 403, 404, 405, 410, 414, 421, 444, 494, 495, 496],
};

const LOG_INS = [
  '/wp-login.php',
  '/xmlrpc.php',
  '/administrator/',
  '/phpmyadmin',
  '/pma/',
  '/adminer',
  '/manager/html',
  '/owa/auth',
  '/remote/login',
  '/console/login',
];

export function asksAsScanner(target: string, { paths }: Pick<ScannerRequests, 'paths'>): boolean {
  const path = target.toLowerCase();
  const behindFolder = path.indexOf('/', 1);
  return paths.some((one) => path.startsWith(one) || (behindFolder > 0 && path.startsWith(one, behindFolder)));
}

export const asksToLogIn = (method: string, target: string): boolean =>
  method === 'POST' && asksAsScanner(target, { paths: LOG_INS });

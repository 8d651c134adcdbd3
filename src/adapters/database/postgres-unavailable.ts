const NETWORK = /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOST|ENET|EPIPE)/;

/**
 * SQLSTATE classes and codes (PostgreSQL, appendix A) of a server that cannot take the question now. 08
 * connection, 25006 read-only, 28 authorisation, 3D no such database, 3F no such schema, 42501 permission,
 * 42P01 no such table (a schema that was emptied or is being restored), 53 out of space, memory or
 * connections, 57 stopped by an operator, a shutdown or statement_timeout, 58 disk.
 */
const SERVER = /^(08|25006|28|3D|3F|42501|42P01|53|57|58)/;

const DRIVER =
  /^(Connection terminated|Client (has encountered|was closed)|timeout exceeded when trying to connect|Query read timeout|Cannot use a pool)/;

/**
 * Returns whether PostgreSQL could not be asked or could not take the question now. False if the question
 * itself is wrong.
 */
export function isPostgresUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return code === '' ? DRIVER.test(error.message) : NETWORK.test(code) || (code.length === 5 && SERVER.test(code));
}

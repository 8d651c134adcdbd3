/**
 * Reports the exit of a cloud function, at each call. `handler` is for AWS Lambda, Alibaba Function Compute and Tencent SCF; the default export is for
 * Cloudflare Workers, Deno and Bun call. Settings: PULSE_URL and PULSE_BEACON, in the environment (Workers: as variables of the Worker).
 */
async function report({ PULSE_URL: url, PULSE_BEACON: token }) {
  if (!url || !token) throw new Error('set PULSE_URL and PULSE_BEACON');
  const response = await fetch(`${url}/v1/beacon`, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
  const body = await response.json();
  if (response.status !== 202)
    throw new Error(`${body.error?.code ?? response.status}: ${body.error?.message ?? 'no reason given'}`);
  return body;
}

export const handler = () => report(process.env);

export default {
  fetch: async (_request, env) => Response.json(await report(env ?? process.env)),
  scheduled: async (_event, env) => void (await report(env ?? process.env)),
};

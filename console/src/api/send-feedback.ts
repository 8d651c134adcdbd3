import type { ErrorBody } from '../../../src/contract/documents.ts';
import { ApiProblem } from './call.ts';

interface Report {
  readonly ip: string;
  readonly verdict: 'false_positive' | 'false_negative';
  readonly comment?: string;
}

/** Sends a report that a verdict is wrong. @returns its id @throws ApiProblem */
export async function sendFeedback(report: Report): Promise<string> {
  let response: Response;
  try {
    response = await fetch('/v1/feedback', {
      method: 'POST',
      credentials: 'same-origin',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify(report),
    });
  } catch {
    throw new ApiProblem('offline', '');
  }
  const body = (await response.json().catch(() => ({}))) as { readonly id?: string } & Partial<ErrorBody>;
  if (response.ok && body.id !== undefined) return body.id;
  const { code = 'internal_error', message = response.statusText, ...extras } = body.error ?? {};
  throw new ApiProblem(code, message, extras);
}

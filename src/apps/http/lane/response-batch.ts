import type { ServerResponse } from 'node:http';
import type { Ledger } from '../../../service/ports.ts';
import { type FlatHeaders, headersOf } from '../answer/reply-headers.ts';
import { RequestCounts } from '../answer/request-counts.ts';
import type { Log } from '../services.ts';

interface Answer {
  readonly response: ServerResponse;
  readonly status: number;
  readonly head: FlatHeaders | string;
  readonly body: string | Buffer | undefined;
  /** True for a text with one byte per character, which can be copied unchanged. */
  readonly ascii: boolean;
}

/**
 * Answers that are ready in one turn of the event loop leave together, after one write of all their charges
 * (decisions 9): a charge that was answered survives a crash, and the answers share the cost of the write.
 */
export class ResponseBatch {
  readonly counts: RequestCounts;
  readonly #ledger: Ledger;
  readonly #log: Log;
  readonly #always: string;
  readonly #alwaysHeaders: readonly string[];
  #answers: Answer[] = [];
  #waiting: { readonly resolve: () => void; readonly reject: (fault: unknown) => void }[] = [];
  #scheduled = false;

  constructor(ledger: Ledger, log: Log, always: string, counts = new RequestCounts()) {
    this.counts = counts;
    this.#ledger = ledger;
    this.#log = log;
    this.#always = always;
    this.#alwaysHeaders = headersOf(always);
  }

  /**
   * Sends an answer at the end of this turn, with Content-Type and Content-Length. Without a body only the
   * head is sent (204).
   */
  answer(response: ServerResponse, status: number, headers: FlatHeaders, body: string | undefined): void {
    const length = body === undefined ? 0 : Buffer.byteLength(body);
    if (body !== undefined) headers.push('Content-Type', 'application/json; charset=utf-8', 'Content-Length', length);
    this.#push({
      response,
      status,
      head: [...this.#alwaysHeaders, ...headers],
      body,
      ascii: length === (body?.length ?? 0),
    });
  }

  /** Sends a 200 whose head is finished lines (`writeOkHead`) with Content-Type; Content-Length is added. */
  answerOk(response: ServerResponse, lines: string, body: string | Buffer): void {
    this.#push({
      response,
      status: 200,
      head: this.#always + lines,
      body,
      ascii: typeof body === 'string' && Buffer.byteLength(body) === body.length,
    });
  }

  #push(answer: Answer): void {
    this.#answers.push(answer);
    this.#schedule();
  }

  /** Resolves at the end of this turn, when everything charged so far is written; rejects when it cannot be. */
  settled(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#endTurn());
  }

  #endTurn(): void {
    this.#scheduled = false;
    const [answers, waiting] = [this.#answers, this.#waiting];
    this.#answers = [];
    this.#waiting = [];
    const leave = (fault?: unknown): void => {
      for (const answer of answers) this.#send(answer);
      this.#time(answers);
      for (const one of waiting) {
        if (fault === undefined) one.resolve();
        else one.reject(fault);
      }
    };
    try {
      const flushing = this.#ledger.flushed();
      if (flushing === undefined) leave();
      else
        flushing.then(
          () => leave(),
          (fault) => this.#leaveUnwritten(leave, fault, answers.length),
        );
    } catch (fault) {
      this.#leaveUnwritten(leave, fault, answers.length);
    }
  }

  /** An answer that cannot be sent costs its own connection, not the other answers of this turn. */
  #send(answer: Answer): void {
    try {
      send(answer);
    } catch (error) {
      this.#log.error({ error }, 'an answer could not be sent');
      answer.response.destroy();
    }
  }

  #time(answers: readonly Answer[]): void {
    const now = performance.now();
    for (const { response } of answers) this.counts.timed(response, now);
  }

  /** The ledger keeps the charge and reports its state, so answers leave; phone answers wait for `settled`. */
  #leaveUnwritten(leave: (fault: unknown) => void, fault: unknown, answers: number): void {
    this.counts.unwritten(answers);
    leave(fault);
  }
}

function send({ response, status, head, body, ascii }: Answer): void {
  if (response.destroyed || response.headersSent) return;
  if (typeof head === 'string') writeOkHead(response, head, ascii ? body!.length : Buffer.byteLength(body!));
  else response.writeHead(status, head as unknown as string[]);
  if (body === undefined) response.end();
  else if (typeof body === 'string') response.end(body, ascii ? 'latin1' : 'utf8');
  else response.end(body);
}

/**
 * node:http builds heads from the status line and finished lines, then headers that it checks, Date and
 * Connection.
 */
interface HeadStoring extends ServerResponse {
  _storeHeader(firstLines: string, headers: FlatHeaders): void;
}

const STATUS_OK = 'HTTP/1.1 200 OK\r\n';

/**
 * Writes the head of a 200 from finished header lines. `writeHead` would parse and check the same lines by
 * regular expressions, a tenth of a lookup; ours are constants and numbers. Where the method behind it is
 * missing, `writeHead` does the work.
 * @param lines `Name: value\r\n` one after another; nothing a caller sent may be among them
 */
export function writeOkHead(response: ServerResponse, lines: string, contentLength: number): void {
  const { _storeHeader } = response as HeadStoring;
  if (typeof _storeHeader === 'function') {
    response.statusCode = 200;
    (response as HeadStoring)._storeHeader(STATUS_OK + lines, ['Content-Length', contentLength]);
  } else response.writeHead(200, [...headersOf(lines), 'Content-Length', contentLength] as string[]);
}

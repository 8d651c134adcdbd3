import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Reading extends Socket {
  /** True while reading has stopped, because answers are not taken. */
  _paused?: boolean;
  readonly parser?: { resume(): void } | null;
}

interface Hold {
  waiting: number;
  pausedByNode: boolean;
}

/**
 * Lets requests wait until every earlier request of their connection is answered. Meanwhile the connection is
 * not read further, so at most the requests of one read (64 KiB) wait.
 */
export class RequestTurns {
  readonly #waitingMax: number;
  readonly #holds = new WeakMap<Socket, Hold>();
  #waiting = 0;

  constructor(waitingMax: number) {
    this.#waitingMax = waitingMax;
  }

  /**
   * Calls `go` at the request's turn, or never where the connection ends before. @returns false when too many
   * wait
   */
  wait({ socket }: IncomingMessage, response: ServerResponse, go: () => void): boolean {
    if (response.socket !== null) {
      go();
      return true;
    }
    if (response.destroyed) return true;
    if (this.#waiting >= this.#waitingMax) return false;
    const hold = this.#holds.get(socket) ?? this.#watch(socket);
    this.#waiting += 1;
    hold.waiting += 1;
    if (hold.waiting === 1) socket.pause();
    // node:http announces an answer's turn by this event.
    response.once('socket', () => {
      this.#waiting -= 1;
      hold.waiting -= 1;
      if (hold.waiting === 0) resume(socket, hold);
      go();
    });
    return true;
  }

  #watch(socket: Reading): Hold {
    const hold: Hold = { waiting: 0, pausedByNode: socket._paused === true };
    this.#holds.set(socket, hold);
    // node:http resumes a connection where it finds this false, and asks for it before each read.
    Object.defineProperty(socket, '_paused', {
      get: () => hold.pausedByNode || hold.waiting > 0,
      set: (paused: boolean) => {
        hold.pausedByNode = paused;
      },
    });
    socket.once('close', () => {
      this.#waiting -= hold.waiting;
      hold.waiting = 0;
    });
    return hold;
  }
}

function resume(socket: Reading, { pausedByNode }: Hold): void {
  if (pausedByNode) return;
  socket.parser?.resume();
  socket.resume();
}

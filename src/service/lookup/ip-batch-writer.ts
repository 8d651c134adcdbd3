import type { ByteWriter } from '../../core/kit/byte-writer.ts';

export type IpBatchForm = 'document' | 'lines';

const HEAD_BYTES_MAX = 64;
const COMMA = 44;
const LINE_FEED = 10;

export class IpBatchWriter {
  readonly writer: ByteWriter;
  readonly #form: IpBatchForm;

  constructor(writer: ByteWriter, form: IpBatchForm) {
    this.writer = writer;
    this.#form = form;
    writer.moveTo(0);
    writer.room(HEAD_BYTES_MAX);
    writer.moveTo(HEAD_BYTES_MAX);
  }

  get separator(): number {
    return this.#form === 'lines' ? LINE_FEED : COMMA;
  }

  text(json: string): void {
    this.writer.text(json);
    this.writer.room(1);
    this.writer.byte(this.separator);
  }

  end(count: number, billable: number): Uint8Array<ArrayBuffer> {
    const { writer } = this;
    if (this.#form === 'lines') return writer.since(HEAD_BYTES_MAX);
    writer.moveTo(writer.at - 1);
    writer.text(']}');
    const end = writer.at;
    const head = `{"count":${count},"billable":${billable},"results":[`;
    writer.moveTo(HEAD_BYTES_MAX - head.length);
    writer.text(head);
    writer.moveTo(end);
    return writer.since(HEAD_BYTES_MAX - head.length);
  }
}

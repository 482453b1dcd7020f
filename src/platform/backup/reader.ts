import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type ExtractEvents, extract } from 'tar-stream';
import { OperatorProblem } from '../problem.ts';

type Entry = ExtractEvents['entry'][1];

/** Far above any manifest; a stranger's file is not read into memory. */
const longestText = 16 * 1024 * 1024;

/** An archive front to back: what `name` names is read with `content`, then `advance` goes on. */
export class ArchiveReader {
  readonly file: string;
  private readonly flow: Promise<void>;
  private readonly entries: AsyncIterator<Entry>;
  private readonly stopping = new AbortController();
  private entry: Entry | undefined;
  private recognised = false;

  constructor(file: string) {
    this.file = file;
    const tar = extract();
    const gunzip = createGunzip({ chunkSize: 65_536 });
    this.entries = tar[Symbol.asyncIterator]();
    this.flow = pipeline(createReadStream(file), gunzip, tar, { signal: this.stopping.signal });
    // `advance` and `content` tell.
    this.flow.catch(() => {});
  }

  /** Undefined behind the last entry. */
  get name(): string | undefined {
    return this.entry?.header.name;
  }

  get size(): number {
    return this.entry?.header.size ?? 0;
  }

  /** After the last entry it also waits for the checksum of the whole. */
  async advance(): Promise<void> {
    try {
      const { value, done } = await this.entries.next();
      this.entry = done ? undefined : value;
      if (done) await this.flow;
    } catch (error) {
      throw this.explain(error);
    }
  }

  async *content(): AsyncGenerator<Buffer> {
    const { entry } = this;
    if (!entry) return;
    try {
      // Its types do not say that it yields buffers.
      for await (const bytes of entry as AsyncIterable<Buffer>) yield bytes;
    } catch (error) {
      throw this.explain(error);
    }
  }

  async text(): Promise<string> {
    if (this.size > longestText) throw this.damaged(`${this.name} is too long`);
    const pieces: Buffer[] = [];
    for await (const bytes of this.content()) pieces.push(bytes);
    return Buffer.concat(pieces).toString('utf8');
  }

  /** From here on a fault is damage; before, the file may be anything. */
  recognise(): void {
    this.recognised = true;
  }

  damaged(why: string): OperatorProblem {
    return new OperatorProblem(
      this.recognised
        ? `${this.file} is damaged or incomplete (${why}). Nothing was restored; use another backup`
        : `${this.file} is not a Drydock backup (${why})`,
    );
  }

  private explain(error: unknown): unknown {
    if (error instanceof OperatorProblem) return error;
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall !== undefined) return new OperatorProblem(`Cannot read ${this.file}: ${message}`);
    return this.damaged(message.replace(/\.$/, ''));
  }

  async close(): Promise<void> {
    this.stopping.abort();
    await this.flow.catch(() => {});
  }
}

import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type ExtractEvents, extract } from 'tar-stream';
import { OperatorProblem } from '../problem.ts';

type Entry = ExtractEvents['entry'][1];

/** Maximum size of a manifest, so that a foreign file is not read into memory. */
const maxTextLength = 16 * 1024 * 1024;

/** Reads an archive sequentially: `name` is the current entry, `content` reads it and `advance` moves to the next. */
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
    // `advance` and `content` report the error.
    this.flow.catch(() => {});
  }

  /** Undefined after the last entry. */
  get name(): string | undefined {
    return this.entry?.header.name;
  }

  get size(): number {
    return this.entry?.header.size ?? 0;
  }

  /** After the last entry it also waits for the checksum of the whole file. */
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
      // The types lack that iteration yields buffers.
      for await (const bytes of entry as AsyncIterable<Buffer>) yield bytes;
    } catch (error) {
      throw this.explain(error);
    }
  }

  async text(): Promise<string> {
    if (this.size > maxTextLength) throw this.damaged(`${this.name} is too long`);
    const pieces: Buffer[] = [];
    for await (const bytes of this.content()) pieces.push(bytes);
    return Buffer.concat(pieces).toString('utf8');
  }

  /** Reports errors as damage from now on. Before, the file may not be an archive at all. */
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

import { once } from 'node:events';
import { lstat, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Pack, pack } from 'tar-stream';
import { OperatorProblem } from '../problem.ts';

type Content = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** Writes an archive to a temporary file, which is renamed when it is complete. */
export class ArchiveWriter {
  private readonly file: string;
  private readonly partial: string;
  private readonly pack: Pack;
  private readonly flow: Promise<void>;

  private constructor(file: string, partial: string, pack: Pack, flow: Promise<void>) {
    this.file = file;
    this.partial = partial;
    this.pack = pack;
    this.flow = flow;
    // `add` and `finish` report the error.
    flow.catch(() => {});
  }

  static async create(file: string, force: boolean): Promise<ArchiveWriter> {
    const there = await lstat(file).catch(() => undefined);
    if (there?.isDirectory())
      throw new OperatorProblem(`${file} is a folder. Name a file, like ${file}/drydock.tar.gz`);
    if (there && !force) throw new OperatorProblem(`${file} exists. Name another file, or add --force`);
    const partial = `${file}.partial`;
    const handle = await open(partial, force ? 'w' : 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST')
        throw new OperatorProblem(
          `${partial} exists: another backup is writing it, or one was interrupted. Remove it, or add --force`,
        );
      throw cannotWrite(file, error);
    });
    const tar = pack();
    const gzip = createGzip({ chunkSize: 65_536 });
    const flow = pipeline(tar, gzip, handle.createWriteStream({ flush: true }));
    return new ArchiveWriter(file, partial, tar, flow);
  }

  /** Adds an entry. Waits until its content is written, so that only a part of it is in memory. */
  async add(name: string, size: number, content: Content): Promise<void> {
    try {
      await this.send(name, size, content);
    } catch (error) {
      // After a failure of the file, the tar stream only reports that it was destroyed.
      const cause = this.pack.destroying
        ? await this.flow.then(
            () => error,
            (failure: unknown) => failure,
          )
        : error;
      throw cannotWrite(this.file, cause);
    }
  }

  async addText(name: string, text: string): Promise<void> {
    const bytes = Buffer.from(text);
    await this.add(name, bytes.length, [bytes]);
  }

  private async send(name: string, size: number, content: Content): Promise<void> {
    const { promise: done, resolve, reject } = promised();
    const sink = this.pack.entry({ name, size, mode: 0o600 }, (error) => (error ? reject(error) : resolve()));
    // The callback reports the error; without a listener it would end the process.
    sink.on('error', () => {});
    for await (const bytes of content)
      if (!sink.write(bytes)) await Promise.race([once(sink, 'drain'), done]);
    sink.end(null);
    await done;
  }

  /** Returns the size of the archive. */
  async finish(): Promise<number> {
    try {
      this.pack.finalize();
      await this.flow;
      await rename(this.partial, this.file);
      await syncFolder(dirname(this.file));
      return (await stat(this.file)).size;
    } catch (error) {
      throw cannotWrite(this.file, error);
    }
  }

  async abandon(): Promise<void> {
    this.pack.destroy();
    await this.flow.catch(() => {});
    await rm(this.partial, { force: true });
  }
}

function promised(): { promise: Promise<void>; resolve: () => void; reject: (error: Error) => void } {
  let resolve!: () => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  promise.catch(() => {});
  return { promise, resolve, reject };
}

/** Flushes a folder to disk, without which a rename in it might not survive a power cut. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Only system errors are reported as a problem of the file. */
function cannotWrite(file: string, error: unknown): unknown {
  const { syscall, message } = error as NodeJS.ErrnoException;
  return syscall === undefined ? error : new OperatorProblem(`Cannot write ${file}: ${message}`);
}

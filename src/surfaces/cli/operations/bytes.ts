import { access, constants, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { OperatorProblem } from '../../../platform/problem.ts';
import type { SentBytes } from '../../client/index.ts';
import { manyLines, oneLine } from '../../common/harmless-text.ts';
import { writeWhole } from '../files.ts';
import { progress } from '../screen/screen.ts';
import { bytesFrom } from './input.ts';
import type { OperationCommand } from './manifest.ts';

const mediaTypes: Record<string, string> = {
  '.json': 'application/json',
  '.xml': 'application/xml',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
  '.html': 'text/html',
  '.txt': 'text/plain',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.svg': 'image/svg+xml',
};

/** Streams a file or the standard input. */
export async function uploadFrom(
  { mediaType }: OperationCommand,
  { file, contentType }: { file?: string; contentType?: string },
): Promise<SentBytes> {
  const size = file === undefined || file === '-' ? undefined : await sizeOf(file);
  const type =
    contentType ?? mediaTypes[extname(file ?? '').toLowerCase()] ?? mediaType ?? 'application/octet-stream';
  const counted = Readable.from(count(bytesFrom(file) as AsyncIterable<Uint8Array>, 'Sent', size));
  return { contentType: type, bytes: Readable.toWeb(counted) as ReadableStream<Uint8Array> };
}

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorProblem(
      error.code === 'ENOENT' ? `There is no file ${file}` : `Cannot read ${file}: ${error.message}`,
    );
  });
  if (!found.isFile()) throw new OperatorProblem(`${file} is not a file`);
  // Checked before the upload: a read error during it would look like a lost connection.
  await access(file, constants.R_OK).catch((error: Error) => {
    throw new OperatorProblem(`Cannot read ${file}: ${error.message}`);
  });
  return found.size;
}

/** Writes a downloaded file to the standard output, or atomically to a path. */
export async function writeFileAnswer(response: Response, path: string | undefined): Promise<void> {
  const announced = Number(response.headers.get('content-length') ?? Number.NaN);
  const size = Number.isFinite(announced) ? announced : undefined;
  const body = (response.body ?? []) as unknown as AsyncIterable<Uint8Array>;
  if (path === undefined || path === '-')
    return toStandardOutput(body, response.headers.get('content-type') ?? '');
  await writeWhole(path, count(body, 'Received', size));
  process.stderr.write(`Wrote ${path}.\n`);
}

async function toStandardOutput(body: AsyncIterable<Uint8Array>, type: string): Promise<void> {
  if (process.stdout.isTTY && !/^text\/|json|yaml|xml/.test(type))
    throw new OperatorProblem(
      `A terminal cannot show ${oneLine(type, 100)}. Write it to a file: --output FILE`,
    );
  for await (const chunk of process.stdout.isTTY ? harmlessLines(body) : body)
    if (!process.stdout.write(chunk)) await new Promise((resolve) => process.stdout.once('drain', resolve));
}

/** Removes control characters, because the file may contain escape sequences. */
async function* harmlessLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of chunks) yield manyLines(decoder.decode(chunk, { stream: true }));
  yield manyLines(decoder.decode());
}

/** Passes the bytes through and shows progress on a terminal. */
async function* count(
  chunks: AsyncIterable<Uint8Array>,
  done: string,
  size: number | undefined,
): AsyncGenerator<Uint8Array> {
  const shown = process.stderr.isTTY ? progress(process.stderr) : undefined;
  let [sofar, said] = [0, 0];
  try {
    for await (const chunk of chunks) {
      yield chunk;
      sofar += chunk.length;
      if (!shown || Date.now() - said < 100) continue;
      said = Date.now();
      const share = size ? ` of ${megabytes(size)} (${Math.floor((sofar / size) * 100)}%)` : '';
      shown.say(`${done} ${megabytes(sofar)}${share}`);
    }
  } finally {
    shown?.end();
  }
}

function megabytes(bytes: number): string {
  return bytes < 100_000 ? `${bytes} bytes` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

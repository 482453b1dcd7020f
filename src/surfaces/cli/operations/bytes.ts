import { access, constants, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { OperatorProblem } from '../../../platform/problem.ts';
import type { SentBytes } from '../../client/index.ts';
import { manyLines, oneLine } from '../../harmless-text.ts';
import { progress } from '../screen/screen.ts';
import { writeWhole } from '../whole-file.ts';
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

/** The bytes of a file or the standard input, as they are read. */
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
  // Later, it would look as if the service had broken off.
  await access(file, constants.R_OK).catch((error: Error) => {
    throw new OperatorProblem(`Cannot read ${file}: ${error.message}`);
  });
  return found.size;
}

/** Writes a file that was answered: to the standard output, or whole or not at all to a path. */
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
      `These are bytes of the type ${oneLine(type, 100)}, which a terminal cannot show. Write them to a file: --output FILE`,
    );
  for await (const chunk of process.stdout.isTTY ? harmlessLines(body) : body)
    if (!process.stdout.write(chunk)) await new Promise((resolve) => process.stdout.once('drain', resolve));
}

/** A file is somebody else's words: a terminal gets nothing of them that it would obey. */
async function* harmlessLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of chunks) yield manyLines(decoder.decode(chunk, { stream: true }));
  yield manyLines(decoder.decode());
}

/** Hands bytes on, and says on a terminal how many they are so far. */
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
      const share = size ? ` of ${megabytes(size)} (${Math.floor((sofar / size) * 100)} %)` : '';
      shown.say(`${done} ${megabytes(sofar)}${share}`);
    }
  } finally {
    shown?.end();
  }
}

function megabytes(bytes: number): string {
  return bytes < 100_000 ? `${bytes} bytes` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

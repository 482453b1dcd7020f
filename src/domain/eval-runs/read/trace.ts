import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Refusal } from '../../../contract/errors.ts';
import type { Operations } from '../../../contract/index.ts';
import type { OutputOf } from '../../../contract/operation.ts';
import * as trials from '../../../platform/database/queries/eval-trials.ts';
import { artifactUrl } from '../../artifacts/read.ts';
import type { Context, Services } from '../../context.ts';
import type { Verb } from '../../verb.ts';
import { findTrial } from './find.ts';

const decompress = promisify(gunzip);
const largestTrace = 256 * 1024 * 1024;

export type Trace = OutputOf<Operations['getEvalIterationTrace']>;

export const getEvalIterationTrace: Verb<'getEvalIterationTrace'> = async (context, input) => {
  const { trial } = await findTrial(context, input.runId, input.iterationId);
  const stored = await context.db.row(trials.findTrace, { id: trial.id });
  const { trace } = stored ? await readTrace(context, stored) : {};
  if (!trace)
    throw new Refusal('NOT_FOUND', 'This iteration has no trace: it has not ended, or it never began', {
      details: { reason: 'TRACE_NOT_AVAILABLE' },
    });
  return withVideo(context, trace);
};

function withVideo(context: Context, trace: Trace): Trace {
  const { videoBlobId, widgetSnapshots } = trace as { videoBlobId?: unknown; widgetSnapshots?: unknown };
  const filmed = (Array.isArray(widgetSnapshots) ? widgetSnapshots : []) as {
    videoBlobId?: unknown;
    videoKind?: unknown;
  }[];
  const film = filmed.find((one) => one.videoBlobId === videoBlobId);
  if (typeof videoBlobId !== 'string' || (film?.videoKind !== 'webm' && film?.videoKind !== 'frames'))
    return trace;
  return { ...trace, videoUrl: videoUrl(context, { blobId: videoBlobId, kind: film.videoKind }) };
}

/** Where the recording of a widget can be seen, for some minutes. */
export function videoUrl(
  context: Context,
  { blobId, kind }: { blobId: string; kind: 'webm' | 'frames' },
): string {
  return artifactUrl(context, { kind: kind === 'webm' ? 'video' : 'frames', blobId });
}

/** From its row, or from the blobs, and how many characters it has. */
export async function readTrace(
  { blobs }: Pick<Services, 'blobs'>,
  { body, blobId }: { body: string | null; blobId: string | null },
): Promise<{ trace?: Trace; length: number }> {
  if (body !== null) return { trace: JSON.parse(body) as Trace, length: body.length };
  if (blobId === null) return { length: 0 };
  const parts: Uint8Array[] = [];
  for await (const part of blobs.read(blobId) as AsyncIterable<Uint8Array>) parts.push(part);
  const text = await decompress(Buffer.concat(parts), { maxOutputLength: largestTrace });
  return { trace: JSON.parse(text.toString()) as Trace, length: text.length };
}

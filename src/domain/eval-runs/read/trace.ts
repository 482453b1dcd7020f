import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Refusal } from '../../../contract/errors.ts';
import type { Operations } from '../../../contract/index.ts';
import type { OutputOf } from '../../../contract/operation.ts';
import * as trials from '../../../platform/database/queries/eval-trials.ts';
import type { Services } from '../../context.ts';
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
  return trace;
};

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

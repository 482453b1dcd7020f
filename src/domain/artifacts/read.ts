import { Refusal } from '../../contract/errors.ts';
import type { SentFile } from '../../contract/operation.ts';
import * as blobRows from '../../platform/database/queries/blobs.ts';
import type { Context, Services } from '../context.ts';
import { invalid } from '../invalid.ts';
import type { Verb } from '../verb.ts';

/** Milliseconds that an address works: long enough to look at what it shows, too short to be passed around. */
const lasting = 15 * 60_000;

export const getArtifact: Verb<'getArtifact'> = async (context, { artifactToken, headers }) => {
  const { artifacts, blobs, clock, db } = context;
  const id = artifacts.read(artifactToken, clock());
  const blob = id === undefined ? undefined : await db.row(blobRows.findSigned, { id });
  if (!blob)
    throw new Refusal(
      'NOT_FOUND',
      'No such artifact, or the time of its address is over: ask for another one',
    );
  const { contentType, size } = blob;
  const part = partOf(headers.range, size);
  return { contentType, size, ...(part && { part }), acceptsRanges: true, bytes: blobs.read(blob.id, part) };
};

/** Where anybody can read it for a while. Whoever calls this has seen that the caller may. */
export function artifactUrl(
  { artifacts, clock, origin }: Pick<Services, 'artifacts' | 'clock'> & Pick<Context, 'origin'>,
  blobId: string,
): string {
  return `${origin()}/api/v1/artifacts/${artifacts.make(blobId, clock() + lasting)}`;
}

/** First and last byte. A header that is not understood counts as none, as HTTP has it. */
function partOf(range: string | undefined, size: number): SentFile['part'] {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (start > end) throw invalid(`range: There are ${size} bytes`);
  return { start, end };
}

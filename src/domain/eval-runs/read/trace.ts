import { Refusal } from '../../../contract/errors.ts';
import * as blobRows from '../../../platform/database/queries/blobs.ts';
import * as trials from '../../../platform/database/queries/eval-trials.ts';
import { artifactUrl } from '../../artifacts/read.ts';
import { readTrace, type Trace } from '../../artifacts/traces.ts';
import type { ProjectContext } from '../../context/context.ts';
import type { Verb } from '../../context/verb.ts';
import { findTrial } from '../find.ts';

export const getEvalIterationTrace: Verb<'getEvalIterationTrace'> = async (context, input) => {
  const { trial } = await findTrial(context, input.runId, input.iterationId);
  const stored = await context.db.row(trials.findTrace, { id: trial.id });
  const { trace } = stored ? await readTrace(context, stored) : {};
  if (!trace)
    throw new Refusal(
      'NOT_FOUND',
      'This iteration has no trace: it has not ended, it never started, or its trace was deleted by retention',
      {
        details: { reason: 'TRACE_NOT_AVAILABLE' },
      },
    );
  return withVideos(context, trace);
};

/**
 * Adds signed URLs of the trace's recordings and pictures. Reported traces may name any blob, so only blobs of this
 * project get a URL.
 */
async function withVideos(context: ProjectContext, trace: Trace): Promise<Trace> {
  const { videoBlobId, widgetSnapshots } = trace as { videoBlobId?: unknown; widgetSnapshots?: unknown };
  const widgets = Array.isArray(widgetSnapshots) ? (widgetSnapshots as unknown[]) : [];
  const named = widgets.flatMap((widget) => [filmOf(widget)?.blobId ?? [], pictureOf(widget) ?? []].flat());
  if (named.length === 0) return trace;
  const kept = await context.db.rows(blobRows.digests, { projectId: context.project.id, ids: named });
  const ids = new Set(kept.map(({ id }) => id));
  const urls = new Map<string, string>();
  const shown = widgets.map((widget) => {
    const [film, picture] = [filmOf(widget), pictureOf(widget)];
    const added: Record<string, string> = {};
    if (picture !== undefined && ids.has(picture)) added['screenshotUrl'] = artifactUrl(context, picture);
    if (film && ids.has(film.blobId)) {
      added['videoUrl'] = urls.get(film.blobId) ?? artifactUrl(context, film.blobId);
      urls.set(film.blobId, added['videoUrl']);
    }
    return { ...(widget as object), ...added };
  });
  const first = typeof videoBlobId === 'string' ? urls.get(videoBlobId) : undefined;
  return { ...trace, widgetSnapshots: shown, ...(first !== undefined && { videoUrl: first }) };
}

function filmOf(widget: unknown): { blobId: string; kind: 'webm' | 'frames' } | undefined {
  const { videoBlobId: blobId, videoKind: kind } = (widget ?? {}) as Record<string, unknown>;
  return typeof blobId === 'string' && (kind === 'webm' || kind === 'frames') ? { blobId, kind } : undefined;
}

function pictureOf(widget: unknown): string | undefined {
  const { screenshotBlobId } = (widget ?? {}) as Record<string, unknown>;
  return typeof screenshotBlobId === 'string' ? screenshotBlobId : undefined;
}

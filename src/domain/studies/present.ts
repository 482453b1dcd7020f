import { Refusal } from '../../contract/errors.ts';
import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import type { StudyRow } from '../../platform/database/queries/studies.ts';
import type { Context } from '../context/context.ts';
import { type LinkContext, linkTo } from '../context/sealed-links.ts';
import { type ResolvedComposition, resolveComposition } from '../environments/resolve-composition.ts';
import type { GuestExecution } from './guest-execution.ts';

type Summary = OutputOf<Operations['listStudies']>['items'][number];
type Shown = Omit<Summary, 'environmentId' | 'sessionsLately' | 'lastSessionAt'>;
type Detail = OutputOf<Operations['getStudy']>;

const page = '/visit';

export function linkOf(context: LinkContext, study: StudyRow) {
  return linkTo(context, page, study);
}

/** The `t.` prefix marks a ticket; other tokens never begin with it. */
export function ticketAddress(origin: string, ticket: string): string {
  return `${origin}${page}#t.${ticket}`;
}

/** The resolved environment of a study; undefined if it is invalid, which the environment's own page explains. */
export function compositionOf(
  { db }: Pick<Context, 'db'>,
  study: Pick<StudyRow, 'projectId' | 'environmentId'>,
  startedBy: string,
): Promise<ResolvedComposition | undefined> {
  const { projectId, environmentId } = study;
  return resolveComposition(db, { projectId, environmentId, startedBy }).catch((error: unknown) => {
    if (error instanceof Refusal) return undefined;
    throw error;
  });
}

export function presentSummary(
  context: LinkContext,
  study: StudyRow,
  composition: ResolvedComposition | undefined,
): Shown {
  const { client, servers: used = [] } = composition ?? {};
  const style = client?.config['hostStyle'];
  return {
    id: study.id,
    projectId: study.projectId,
    name: study.name,
    description: study.description,
    mode: study.mode,
    hostStyle: typeof style === 'string' ? style : null,
    hostId: client?.id ?? null,
    hostName: client?.name ?? null,
    serverCount: used.length,
    serverNames: used.map(({ name }) => name),
    link: linkOf(context, study),
    published: study.publishedAt !== null,
    createdAt: study.createdAt,
    updatedAt: study.updatedAt,
  };
}

/** Settings a visitor may see. */
export async function presentSettings(
  context: Context,
  study: StudyRow,
  composition: ResolvedComposition | undefined,
): Promise<Omit<Detail, 'environmentId' | 'insights' | 'accessVersion' | 'guestExecution'>> {
  const { db } = context;
  const config = composition?.client.config ?? {};
  const { systemPrompt, temperature } = config;
  const ids = composition?.servers.map(({ id }) => id) ?? [];
  const rows = ids.length === 0 ? [] : await db.rows(servers.described, { projectId: study.projectId, ids });
  return {
    ...presentSummary(context, study, composition),
    modelId: composition?.model.id ?? null,
    systemPrompt: typeof systemPrompt === 'string' ? systemPrompt : null,
    temperature: typeof temperature === 'number' ? temperature : null,
    requireToolApproval: config['requireToolApproval'] === true,
    servers: rows.map(({ id, name, url, settings }) => ({
      id,
      name,
      url,
      useOAuth: settings.useOAuth ?? false,
    })),
  };
}

export function presentForMembers(study: StudyRow) {
  return {
    environmentId: study.environmentId,
    accessVersion: study.accessVersion,
    guestExecution: study.guestExecution as GuestExecution,
  };
}

export function presentStudy(context: Context, study: StudyRow) {
  const { id, environmentId, name, mode, accessVersion } = study;
  return { id, environmentId, name, mode, accessVersion, link: linkOf(context, study)?.url ?? null };
}

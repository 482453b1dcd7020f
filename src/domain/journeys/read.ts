import * as journeys from '../../platform/database/queries/journeys.ts';
import { pageByLatest } from '../base/paging.ts';
import { found } from '../base/refusals.ts';
import type { Verb } from '../context/verb.ts';
import { presentJourney } from './present.ts';

export const listJourneys: Verb<'listJourneys'> = (context, page) => {
  const { db, project } = context;
  const projectId = project.id;
  return pageByLatest(
    context,
    ['journeys', projectId],
    page,
    (before, most) => db.rows(journeys.list, { projectId, before, most }),
    presentJourney,
  );
};

export const getJourney: Verb<'getJourney'> = async ({ db, project }, { journeyId }) =>
  presentJourney(found(await db.row(journeys.find, { projectId: project.id, id: journeyId }), 'journey'));

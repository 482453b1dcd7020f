import { pageById } from '../paging.ts';
import type { Verb } from '../verb.ts';

/** In the order the operator wrote them down. */
export const listModels: Verb<'listModels'> = (context, page) => {
  const models = context.models.list();
  const fetch = async (after: string, most: number) => {
    const next = models.findIndex(({ id }) => id === after) + 1;
    return models.slice(next, next + most);
  };
  return pageById(context, ['models'], page, fetch, (model) => model);
};

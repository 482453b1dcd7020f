import { pageById } from '../base/paging.ts';
import type { Verb } from '../context/verb.ts';

/** In the order of the models file. */
export const listModels: Verb<'listModels'> = (context, page) => {
  const models = context.models.list();
  const fetch = async (after: string, most: number) => {
    const next = models.findIndex(({ id }) => id === after) + 1;
    return models.slice(next, next + most);
  };
  return pageById(context, ['models'], page, fetch, (model) => model);
};

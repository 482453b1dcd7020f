import type { Verb } from '../verb.ts';

export const listModels: Verb<'listModels'> = ({ models }) => ({ items: models.list() });

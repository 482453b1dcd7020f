import type { Verb } from '../verbs.ts';

export const listModels: Verb<'listModels'> = ({ models }) => ({ items: models.list() });

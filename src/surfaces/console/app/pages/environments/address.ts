import type { Raw } from '../../addresses.ts';

export interface EnvironmentsSearch {
  /** Whether archived environments are shown too. */
  archived?: true | undefined;
  /** Whether the form for a new environment is open. */
  add?: true | undefined;
}

export interface EditSearch {
  edit?: true | undefined;
}

export interface AddSearch {
  add?: true | undefined;
}

const yes = (value: unknown): true | undefined => (value === true ? true : undefined);

export function environmentsSearch(raw: Raw): EnvironmentsSearch {
  return { archived: yes(raw['archived']), add: yes(raw['add']) };
}

/** Search parameters of a detail page with an edit form. */
export function editSearch(raw: Raw): EditSearch {
  return { edit: yes(raw['edit']) };
}

/** Search parameters of a list with a form for a new item. */
export function addSearch(raw: Raw): AddSearch {
  return { add: yes(raw['add']) };
}

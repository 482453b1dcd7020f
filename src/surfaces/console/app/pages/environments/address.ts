import { type Raw } from '../../addresses.ts';

export interface EnvironmentsSearch {
  /** Archived ones too. */
  archived?: true | undefined;
  /** The form for a new one is open. */
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

/** Of a page about one thing whose form may be open. */
export function editSearch(raw: Raw): EditSearch {
  return { edit: yes(raw['edit']) };
}

/** Of a list whose form for a new one may be open. */
export function addSearch(raw: Raw): AddSearch {
  return { add: yes(raw['add']) };
}

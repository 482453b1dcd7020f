const day = 86_400_000;
/** The first day of all time was a Thursday. */
const firstMonday = 4 * day;
const week = 7 * day;

/** Seven days of a study, from Monday at midnight (UTC) on. */
export interface Window {
  /** `win_` and the date of the Monday. */
  id: string;
  from: number;
  to: number;
}

export function windowAt(time: number): Window {
  const from = Math.floor((time - firstMonday) / week) * week + firstMonday;
  const date = new Date(from).toISOString().slice(0, 10).replaceAll('-', '');
  return { id: `win_${date}`, from, to: from + week };
}

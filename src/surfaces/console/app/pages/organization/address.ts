import { oneOf, type Raw, text } from '../../addresses.ts';

/** A calendar day in a URL. */
function day(value: unknown): string | undefined {
  const given = text(value);
  return given !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(given) && !Number.isNaN(Date.parse(given))
    ? given
    : undefined;
}

const dayMs = 86_400_000;

/** Midnight UTC at the start of a day. */
export function beginOf(given: string | undefined): number | undefined {
  return given === undefined ? undefined : Date.parse(`${given}T00:00:00Z`);
}

export function endOf(given: string | undefined): number | undefined {
  const begin = beginOf(given);
  return begin === undefined ? undefined : begin + dayMs;
}

export interface AuditSearch {
  action?: string | undefined;
  actor?: string | undefined;
  target?: string | undefined;
  project?: string | undefined;
  /** First and last day, both included. */
  from?: string | undefined;
  to?: string | undefined;
  /** The expanded event. */
  open?: string | undefined;
}

export function auditSearch(raw: Raw): AuditSearch {
  return {
    action: text(raw['action']),
    actor: text(raw['actor']),
    target: text(raw['target']),
    project: text(raw['project']),
    from: day(raw['from']),
    to: day(raw['to']),
    open: text(raw['open']),
  };
}

export interface KeysSearch {
  whose?: 'mine' | undefined;
  /** Whether revoked keys are shown too. */
  revoked?: true | undefined;
}

export function keysSearch(raw: Raw): KeysSearch {
  return {
    whose: oneOf(['mine'] as const, raw['whose']),
    revoked: raw['revoked'] === true ? (true as const) : undefined,
  };
}

export interface ProjectMembersSearch {
  project?: string | undefined;
}

export function projectMembersSearch(raw: Raw): ProjectMembersSearch {
  return { project: text(raw['project']) };
}

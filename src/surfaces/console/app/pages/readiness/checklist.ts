import type { Finding, Lane, Report } from './labels.ts';

/** Whether a rule decides if a server is ready. */
export function decides({ class: weight }: Pick<Finding, 'class'>): boolean {
  return weight === 'required' || weight === 'runtime-blocker';
}

const order: Finding['status'][] = [
  'violated',
  'not-evaluated',
  'informational',
  'satisfied',
  'not-applicable',
];

export interface Group {
  lane: Lane;
  open: Finding[];
  satisfied: Finding[];
  notApplicable: Finding[];
}

/** Findings by lane: deciding rules first, and failures first among them. */
export function checklistOf({ lanes, findings }: Pick<Report, 'lanes' | 'findings'>): Group[] {
  return lanes.flatMap(({ lane }) => {
    const own = findings
      .filter((one) => one.lane === lane)
      .toSorted(
        (a, b) =>
          Number(decides(b)) - Number(decides(a)) || order.indexOf(a.status) - order.indexOf(b.status),
      );
    const of = (status: Finding['status']): Finding[] => own.filter((one) => one.status === status);
    const satisfied = of('satisfied');
    const notApplicable = of('not-applicable');
    const folded = new Set([...satisfied, ...notApplicable]);
    return own.length === 0
      ? []
      : [{ lane, open: own.filter((one) => !folded.has(one)), satisfied, notApplicable }];
  });
}

export function countByStatus(findings: readonly Finding[]): { broken: number; open: number; met: number } {
  const deciding = findings.filter(decides);
  const count = (status: Finding['status']): number => deciding.filter((one) => one.status === status).length;
  return { broken: count('violated'), open: count('not-evaluated'), met: count('satisfied') };
}

export interface Seen {
  problem: string | undefined;
  items: string[];
  rest: Record<string, unknown> | undefined;
}

export function seenIn({ details = {} }: Pick<Finding, 'details'>): Seen {
  const { problem, why, items, count: _, ...rest } = details;
  const words = [problem, why].find((one) => typeof one === 'string');
  return {
    problem: words,
    items: Array.isArray(items) ? items.filter((one) => typeof one === 'string') : [],
    rest: Object.keys(rest).length > 0 ? rest : undefined,
  };
}

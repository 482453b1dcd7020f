import type { Declared } from '../../../contract/readiness-declared.ts';
import { notEvaluated, type Outcome, satisfied, violated } from '../../check.ts';
import type { Evidence } from '../../evidence.ts';

/** Judges what was declared; without it there is nothing to judge. */
export function declared<Field extends keyof Declared>(
  { declared: all }: Evidence,
  field: Field,
  judge: (value: NonNullable<Declared[Field]>) => Outcome,
): Outcome {
  const value = all[field];
  if (value === undefined) return notEvaluated(`Nothing was declared as ${field}`, `declared.${field}`);
  return judge(value);
}

export function confirmed(
  evidence: Evidence,
  field: {
    [Field in keyof Declared]-?: NonNullable<Declared[Field]> extends boolean ? Field : never;
  }[keyof Declared],
): Outcome {
  return declared(evidence, field, (value) =>
    value ? satisfied() : violated({ problem: `${field} was declared to be missing` }),
  );
}

type TextField = 'name' | 'tagline' | 'description' | 'supportContact' | 'releaseNotes';

/** There, and no longer than the listing takes. */
export function declaredText(evidence: Evidence, field: TextField, most: number): Outcome {
  return declared(evidence, field, (value) => {
    if (value === '') return violated({ problem: `${field} is empty` });
    const length = Array.from(value).length;
    return length <= most
      ? satisfied({ length })
      : violated({ problem: `${field} has ${length} characters; ${most} are taken` });
  });
}

type UrlField = 'privacyPolicyUrl' | 'termsUrl' | 'documentationUrl' | 'websiteUrl';

export function declaredPage(evidence: Evidence, field: UrlField): Outcome {
  return declared(evidence, field, (url) =>
    url.startsWith('https://') ? satisfied({ url }) : violated({ problem: `${field} is not https`, url }),
  );
}

type CountField = 'screenshots' | 'positiveTestCases' | 'negativeTestCases' | 'starterPrompts';

export function declaredCount(
  evidence: Evidence,
  field: CountField,
  least: number,
  most = Number.POSITIVE_INFINITY,
): Outcome {
  return declared(evidence, field, (count) => {
    if (count >= least && count <= most) return satisfied({ count });
    const wanted = most === Number.POSITIVE_INFINITY ? `at least ${least}` : `${least} to ${most}`;
    return violated({ problem: `${field} is ${count}; ${wanted} are asked for` });
  });
}

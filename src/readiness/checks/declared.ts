import type { Declared } from '../../contract/readiness-declared.ts';
import { notEvaluated, type Outcome, satisfied, violated } from '../check.ts';
import type { Evidence } from '../evidence.ts';

export function declared<Field extends keyof Declared>(
  { declared: all }: Evidence,
  field: Field,
  judge: (value: NonNullable<Declared[Field]>) => Outcome,
): Outcome {
  const value = all[field];
  if (value === undefined) return notEvaluated(`${field} was not declared`, `declared.${field}`);
  return judge(value);
}

type FieldOf<T> = {
  [Field in keyof Declared]-?: NonNullable<Declared[Field]> extends T ? Field : never;
}[keyof Declared];

export function confirmed(evidence: Evidence, field: FieldOf<boolean>): Outcome {
  return declared(evidence, field, (value) =>
    value ? satisfied() : violated(`${field} was declared to be missing`),
  );
}

type TextField = 'name' | 'tagline' | 'description' | 'supportContact' | 'releaseNotes';

export function declaredText(evidence: Evidence, field: TextField, most: number): Outcome {
  return declared(evidence, field, (value) => {
    if (value === '') return violated(`${field} is empty`);
    const length = Array.from(value).length;
    if (length <= most) return satisfied({ length });
    return violated(`${field} has ${length} characters; at most ${most} are allowed`);
  });
}

type UrlField = 'privacyPolicyUrl' | 'termsUrl' | 'documentationUrl' | 'websiteUrl';

export function declaredPage(evidence: Evidence, field: UrlField): Outcome {
  return declared(evidence, field, (url) =>
    url.startsWith('https://') ? satisfied({ url }) : violated(`${field} is not an https URL`, { url }),
  );
}

export function declaredCount(
  evidence: Evidence,
  field: FieldOf<number>,
  least: number,
  most = Number.POSITIVE_INFINITY,
): Outcome {
  return declared(evidence, field, (count) => {
    if (count >= least && count <= most) return satisfied({ count });
    const wanted = most === Number.POSITIVE_INFINITY ? `at least ${least}` : `${least} to ${most}`;
    return violated(`${field} is ${count}; ${wanted} are required`);
  });
}

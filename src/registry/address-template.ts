/** Placeholders in a URL, like `https://{tenant}.example.com/mcp`. */

const variable = /\{([A-Za-z0-9_.-]{1,64})\}/g;
/** Characters of a value: part of a host name or of one path segment. */
const filling = '[A-Za-z0-9._~-]+';
const fillingCharacter = /[A-Za-z0-9._~-]/;
const maxLength = 500;

export function variablesIn(template: string): string[] {
  return [...template.matchAll(variable)].map((match) => match[1] as string);
}

/** Fills in these values and leaves other placeholders. */
export function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(variable, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] as string) : whole,
  );
}

/** Whether a text has placeholders and is a URL once filled in, whose scheme no placeholder can change. */
export function isTemplate(text: string): boolean {
  if (text.length > maxLength || variablesIn(text).length === 0) return false;
  return /^https?:\/\//.test(text) && isHttpUrl(text.replaceAll(variable, 'x'));
}

export function isHttpUrl(text: string): boolean {
  if (text.length > 2048 || /[{}\s\p{Cc}]/u.test(text) || !URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}

/** A regular expression for clients to validate URLs with. */
export function regexOf(template: string): string {
  const literals = template.split(/\{[A-Za-z0-9_.-]{1,64}\}/);
  return `^${literals.map((text) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join(filling)}$`;
}

/**
 * Whether a URL matches the template. Simulates all possible matches at once, so that the time is bounded by the
 * lengths of both, whatever the template.
 */
export function fits(template: string, url: string): boolean {
  const steps = stepsOf(template);
  let at = new Set([0]);
  for (const character of url) {
    const next = new Set<number>();
    const fillsIn = fillingCharacter.test(character);
    for (const place of at) {
      const step = steps[place];
      if (step === 'variable' ? fillsIn : step?.literal === character) next.add(place + 1);
      if (fillsIn && steps[place - 1] === 'variable') next.add(place);
    }
    if (next.size === 0) return false;
    at = next;
  }
  return at.has(steps.length);
}

type Step = 'variable' | { literal: string };

function stepsOf(template: string): Step[] {
  return template
    .split(/(\{[A-Za-z0-9_.-]{1,64}\})/)
    .flatMap((part, index): Step[] =>
      index % 2 === 1 ? ['variable'] : Array.from(part, (literal) => ({ literal })),
    );
}

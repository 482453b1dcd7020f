import type { Output } from '../../api/index.ts';
import { counted } from '../../kit/numbers.ts';
import { textOf } from '../../kit/text.ts';

/** Describes the impact of editing a client. */
export function impactText(impact: Output<'getClient'>['impact']): string {
  const parts = [
    [impact.liveEnvironmentCount, 'environment'],
    [impact.scenarioAttachmentCount, 'scenario'],
    [impact.activeLegacyJourneyCount, 'journey'],
  ] as const;
  const followers = parts.flatMap(([many, noun]) => (many === 0 ? [] : [counted(many, noun)]));
  if (followers.length === 0) return 'Nothing else is affected.';
  return `${followers.join(', ')} will use the edited configuration.`;
}

/** Formats configuration values, with names instead of server IDs. */
export function serverText(servers: { id: string; name: string }[]): (value: unknown) => string {
  const names = new Map(servers.map(({ id, name }) => [id, name]));
  return (value) =>
    Array.isArray(value)
      ? value.map((one) => names.get(textOf(one)) ?? textOf(one)).join(', ')
      : textOf(value);
}

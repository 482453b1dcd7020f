/** Without what differs from one call to the next: IDs, times, durations, addresses with tokens in them. */
export function steady(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => steady(one));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      // Agents are spared what is null.
      Object.entries(value)
        .filter(([, inner]) => inner !== null)
        .map(([key, inner]) => [steadyText(key), steady(inner, key)]),
    );
  if (typeof value === 'number' && (value > 1e11 || /ms$|duration|latency|tokens$/i.test(name))) return 0;
  // A group is called as the idempotency key, which the client makes.
  if (name === 'runGroupId') return '<id>';
  return typeof value === 'string' ? steadyText(value) : value;
}

function steadyText(text: string): string {
  return (
    text
      .replaceAll(/[a-z]{2,8}_[0-9a-z]{26}/g, '<id>')
      .replaceAll(/whsec_[\w+/=]+/g, '<secret>')
      .replaceAll(/#(t\.)?[\w-]{43}/g, '#<token>')
      .replaceAll(/\bc_[\w-]{21}(?!\w)/g, '<declared>')
      .replaceAll(/\w{3}, \d\d \w{3} \d{4} [\d:]+ GMT/g, '<date>')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      .replaceAll(/\/artifact-(links|uploads)\/[\w-]+/g, '/artifact-$1/<token>')
      .replaceAll(/(?<![\w-])[\w-]{43}(?![\w-])/g, '<token>')
      .replaceAll(/\bguest_[\w-]+/g, '<token>')
      .replaceAll(/\b(?:[0-9a-f]{32,64}|[0-9a-f]{20})\b/g, '<hash>')
      // Around what is quoted.
      .replaceAll(/\b[0-9a-f]{16}\b/g, '<mark>')
  );
}

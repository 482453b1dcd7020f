/** In every value, to look for afterwards. */
export const marker = 'tell-nobody-7c1f';
export const plain = (name: string) => ({
  name,
  value: `${marker} of ${name}`,
  delivery: 'materialized' as const,
});
export const brokered = (name: string) => ({
  name,
  value: `${marker} of ${name}`,
  delivery: 'brokered' as const,
  brokerHosts: ['api.example.com'],
  brokerHeader: 'X-Api-Key',
  brokerTemplate: 'Bearer {}',
});
export const personal = (name: string) => ({ ...plain(name), sharing: 'user' as const });

export type Visibility = 'public' | 'private';

export const visibilities: [Visibility, string][] = [
  ['public', 'Every member of the organization'],
  ['private', 'Invited members and administrators'],
];

export type Visibility = 'public' | 'private';

export const visibilities: [Visibility, string][] = [
  ['public', 'Public: all members of the organization'],
  ['private', 'Private: invited members and administrators'],
];

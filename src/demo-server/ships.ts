/** The data of the demo server. Invented and constant, so that two exports of it are equal. */
export interface Ship {
  name: string;
  kind: 'ferry' | 'tug' | 'trawler' | 'yacht';
  lengthMeters: number;
  hullPlates: number;
  /** Plates that the last inspection found rusty. */
  rusty: number[];
}

export const ships: readonly Ship[] = [
  { name: 'Albatross', kind: 'ferry', lengthMeters: 74, hullPlates: 220, rusty: [12, 13, 88] },
  { name: 'Bittern', kind: 'tug', lengthMeters: 31, hullPlates: 90, rusty: [] },
  { name: 'Cormorant', kind: 'trawler', lengthMeters: 42, hullPlates: 130, rusty: [7] },
  { name: 'Dunlin', kind: 'yacht', lengthMeters: 18, hullPlates: 40, rusty: [] },
  { name: 'Eider', kind: 'ferry', lengthMeters: 96, hullPlates: 310, rusty: [1, 2, 3, 150, 151] },
  { name: 'Fulmar', kind: 'trawler', lengthMeters: 38, hullPlates: 118, rusty: [60] },
  { name: 'Gannet', kind: 'tug', lengthMeters: 28, hullPlates: 84, rusty: [5, 6] },
  { name: 'Heron', kind: 'yacht', lengthMeters: 22, hullPlates: 52, rusty: [] },
];

export function shipNamed(name: string): Ship | undefined {
  return ships.find((ship) => ship.name.toLowerCase() === name.trim().toLowerCase());
}

import { keepIn, keptIn } from '../kit/kept.ts';

const place = 'drydock-project';

export function lastProject(): string | undefined {
  return keptIn('localStorage', place);
}

export function rememberProject(id: string): void {
  keepIn('localStorage', place, id);
}

import { readStorage, writeStorage } from '../kit/web-storage.ts';

const storageKey = 'drydock-project';

export function lastProject(): string | undefined {
  return readStorage('localStorage', storageKey);
}

export function rememberProject(id: string): void {
  writeStorage('localStorage', storageKey, id);
}

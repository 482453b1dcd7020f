import type { Console } from '../console.ts';
import { chatPages } from './chat.ts';
import { evalPages } from './evals.ts';
import { peoplePages } from './people.ts';
import { serverPages } from './servers.ts';
import { setupPages } from './setup.ts';
import { studyPages } from './studies.ts';

/** A name, the address, and what is there when it is drawn. */
export type PageOfConsole = readonly [name: string, address: string, there: string];

/** Every page of the console, with something on it. */
export async function pagesOf(console: Console): Promise<PageOfConsole[]> {
  const lists = [serverPages, chatPages, evalPages, setupPages, peoplePages].map((pages) => pages(console));
  const drawn = (await Promise.all(lists)).flat();
  // After those whose first environment has everything in it.
  return [...drawn, ...(await studyPages(console))];
}

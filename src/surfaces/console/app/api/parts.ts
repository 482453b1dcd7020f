import { lazyRouteComponent } from '@tanstack/react-router';
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { answers, missed, onRecovery } from './connection.ts';

type Load<Module> = () => Promise<Module>;

let back: Promise<void> | undefined;

function untilBack(): Promise<void> {
  missed();
  back ??= new Promise((resolve) => waiting.push(resolve));
  return back;
}

const waiting: (() => void)[] = [];
onRecovery(() => {
  back = undefined;
  for (const go of waiting.splice(0)) go();
});

/** While the service is away it waits; when it is there and has no such file, the console was updated. */
async function patiently<Module>(load: Load<Module>): Promise<Module> {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      if (await answers()) throw error;
      await untilBack();
    }
  }
}

/** A part of a page whose code is loaded when it is first drawn. */
export function partFrom<Name extends string, Props extends object>(
  load: Load<Record<Name, ComponentType<Props>>>,
  name: Name,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => ({ default: (await patiently(load))[name] }));
}

/** The same for a page of the router, which loads it when somebody is about to open it. */
export function pageFrom<Name extends string>(load: Load<Record<Name, ComponentType>>, name: Name) {
  return lazyRouteComponent(() => patiently(load), name);
}

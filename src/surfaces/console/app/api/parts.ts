import { lazyRouteComponent } from '@tanstack/react-router';
import { type ComponentType, createElement, type ReactNode, useEffect, useState } from 'react';
import { checkReady, markOffline, onRecovery } from './connection.ts';

type Load<Module> = () => Promise<Module>;

let back: Promise<void> | undefined;

function untilReconnected(): Promise<void> {
  markOffline();
  back ??= new Promise((resolve) => waiting.push(resolve));
  return back;
}

const waiting: (() => void)[] = [];
onRecovery(() => {
  back = undefined;
  for (const go of waiting.splice(0)) go();
});

/**
 * Waits until the service is ready, then loads. Readiness is checked first, because browsers cache a failed module
 * fetch until the page is reloaded. A second failure while the service is ready means that the console was updated.
 */
async function loadWithRetry<Module>(load: Load<Module>): Promise<Module> {
  for (let missing = false; ; ) {
    while (!(await checkReady())) await untilReconnected();
    try {
      return await load();
    } catch (error) {
      if (missing) throw error;
      missing = await checkReady();
    }
  }
}

/**
 * A component whose code is loaded on first render, with a placeholder until then. Avoids Suspense, because
 * React delays content that suspended by 300 ms.
 */
export function partFrom<Name extends string, Props extends object>(
  load: Load<Record<Name, ComponentType<Props>>>,
  name: Name,
  meanwhile: (props: Props) => ReactNode = () => null,
): ComponentType<Props> {
  let part: ComponentType<Props> | undefined;
  let loading: Promise<void> | undefined;
  return function Part(props) {
    const [, setLoaded] = useState(false);
    const [failure, setFailure] = useState<{ error: unknown }>();
    const shown = part;
    useEffect(() => {
      if (shown) return undefined;
      let gone = false;
      loading ??= loadWithRetry(load).then((module) => void (part = module[name]));
      loading.then(
        () => gone || setLoaded(true),
        (error: unknown) => {
          loading = undefined;
          if (!gone) setFailure({ error });
        },
      );
      return () => void (gone = true);
    }, [shown]);
    if (failure) throw failure.error;
    return shown ? createElement(shown, props) : meanwhile(props);
  };
}

/** A lazily loaded route component, whose code the router preloads on intent. */
export function pageFrom<Name extends string>(load: Load<Record<Name, ComponentType>>, name: Name) {
  return lazyRouteComponent(() => loadWithRetry(load), name);
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

const started: ChildProcess[] = [];

export interface Started {
  child: ChildProcess;
  /** What matched the pattern in the output. */
  match: RegExpExecArray;
  ms: number;
}

/** Starts a program and waits until its output matches. */
export async function start(args: string[], env: Record<string, string>, ready: RegExp): Promise<Started> {
  const began = performance.now();
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(child);
  let output = '';
  const match = await new Promise<RegExpExecArray>((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const found = ready.exec(output);
      if (found) resolve(found);
    });
    child.once('exit', () => reject(new Error(`ended early: ${output}`)));
  });
  return { child, match, ms: performance.now() - began };
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

export async function stopAll(): Promise<void> {
  await Promise.all(started.map(stop));
}

/** Resident megabytes of a process. */
export function residentMb(child: ChildProcess): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

const started: ChildProcess[] = [];

export interface Started {
  child: ChildProcess;
  /** The match of the pattern in the output. */
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

/** Processor milliseconds that a process has used, or those of its descendants whose command matches. */
export function cpuMs(child: ChildProcess, descendants?: RegExp): number {
  if (!descendants) return ticksOf(child.pid as number) * msPerTick;
  let ticks = 0;
  for (const pid of below(child.pid as number))
    if (descendants.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))) ticks += ticksOf(pid);
  return ticks * msPerTick;
}

const msPerTick = 10;

/** CPU ticks of the process and of its ended children. */
function ticksOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

function below(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  if (children === '') return [];
  return children.split(' ').flatMap((child) => [Number(child), ...below(Number(child))]);
}

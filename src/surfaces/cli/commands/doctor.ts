import type { Command } from 'commander';
import type { Found } from '../../../domain/operator/doctor/check.ts';
import { oneLine } from '../../common/harmless-text.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Host } from '../host.ts';
import { jsonOption } from '../options.ts';
import { jsonText } from '../screen/json.ts';
import { type Paint, paintFor } from '../screen/screen.ts';

const styles = { ok: 'green', warning: 'yellow', problem: 'red' } as const;

export function doctorCommand(program: Command, host: Host): void {
  jsonOption(program.command('doctor'))
    .description('Diagnose this installation without changing it')
    .option('--strict', 'Exit with code 1 for warnings too')
    .addHelpText('after', '\nExit codes: 0 no problems, 1 problems, 2 the settings cannot be read.')
    .action(async ({ json, strict }: { json?: true; strict?: true }) => {
      const found = await host.examine();
      const bad = found.some(({ level }) => level === 'problem' || (strict && level === 'warning'));
      const text = json ? jsonText({ ok: !bad, checks: found }, process.stdout, 2) : table(found);
      // Exits at once: checks that timed out may still be running.
      process.stdout.write(`${text}\n`, () => process.exit(bad ? exitCodes.failed : exitCodes.passed));
    });
}

function table(found: readonly Found[]): string {
  const paint = paintFor(process.stdout);
  const widest = Math.max(...found.map(({ check }) => check.length));
  const lines = found.flatMap((each) => linesOf(each, widest, paint));
  const count = (level: Found['level']): number => found.filter((each) => each.level === level).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  return [...lines, '', `${problems} problems, ${warnings} warnings, ${count('ok')} ok`].join('\n');
}

function linesOf({ level, check, message, remedy }: Found, widest: number, paint: Paint): string[] {
  const state = paint(styles[level], level.padEnd(7));
  const first = `${state}  ${check.padEnd(widest)}  ${oneLine(message, 1000)}`;
  return remedy === undefined ? [first] : [first, `${' '.repeat(widest + 11)}→ ${oneLine(remedy, 1000)}`];
}

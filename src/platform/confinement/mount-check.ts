import { readFileSync } from 'node:fs';
import { isInside } from './places.ts';

/** A host path bind-mounted into the sandbox at the same path. */
export interface Bound {
  path: string;
  writable: boolean;
}

/** A line of mountinfo: the device, the mounted folder on that device, and the mount point. */
interface HostMount {
  device: string;
  root: string;
  point: string;
  kind: string;
}

/** Virtual file systems: they hold no user data, and their roots differ between namespaces. */
const virtualFileSystem =
  /^(?:autofs|binfmt_misc|bpf|cgroup2?|configfs|debugfs|devpts|devtmpfs|efivarfs|fusectl|hugetlbfs|mqueue|nsfs|proc|pstore|securityfs|sysfs|tracefs)$/;

/**
 * A shell wrapper that compares mountinfo with the intended mounts and refuses to exec on a mismatch. bwrap resolves
 * paths again, and a running command may have replaced a folder by a symlink to a hidden or read-only one in the
 * meantime.
 */
export function mountCheck(shell: string, binds: readonly Bound[]): string[] {
  const host = hostMounts(readFileSync('/proc/self/mountinfo', 'utf8'));
  const nowhere = placeOf(host, '/dev/null');
  const expected = [
    ...host.map(({ device, root, point }) => ['ro', device, root, point]),
    ...binds.flatMap(({ path, writable }) => {
      const { device, root } = placeOf(host, path);
      const below = host.filter(({ point }) => isInside(point, path));
      const all = [{ device, root, point: path }, ...below];
      const modes = writable ? ['ro', 'rw'] : ['ro'];
      return modes.flatMap((mode) => all.map((one) => [mode, one.device, one.root, one.point]));
    }),
  ].map(
    ([mode = '', device = '', root = '', point = '']) =>
      `${mode} ${device} ${escaped(root)} ${escaped(point)}`,
  );
  const kept = host.filter(({ kind }) => !virtualFileSystem.test(kind));
  const devices = [...new Set(kept.map(({ device }) => device))];
  const script = `while read -r _ _ device root point options _; do
case $device in ${devices.map(quoted).join('|')}) ;; *) continue ;; esac
case $point in /dev/*|/proc/*) continue ;; esac
case "$device $root" in ${quoted(`${nowhere.device} ${nowhere.root}`)}) continue ;; esac
case "\${options%%,*} $device $root $point" in ${[...new Set(expected)].map(quoted).join('|')}) ;;
*) echo "A folder was replaced while the command was starting, at $point. Start it again" >&2; exit 126 ;; esac
done < /proc/self/mountinfo
exec "$@"`;
  return [shell, '-c', script, 'mount-check'];
}

/** Parses /proc/self/mountinfo. The last of several mounts on one mount point is the visible one. */
export function hostMounts(text: string): HostMount[] {
  return text.split('\n').flatMap((line) => {
    const [, , device, root, point] = line.split(' ');
    const [, kind = ''] = / - (\S+) /.exec(line) ?? [];
    if (device === undefined || root === undefined || point === undefined) return [];
    return [{ device, root: unescaped(root), point: unescaped(point), kind }];
  });
}

/** The device of a path, and the path within that device. */
export function placeOf(host: readonly HostMount[], path: string): { device: string; root: string } {
  const around = host.filter(({ point }) => point === path || isInside(path, point));
  const nearest = around.reduce<HostMount | undefined>(
    (best, mount) => (best && best.point.length > mount.point.length ? best : mount),
    undefined,
  );
  if (!nearest) return { device: '', root: path };
  const { device, root, point } = nearest;
  const rest = point === '/' ? path : path.slice(point.length);
  return { device, root: `${root === '/' ? '' : root}${rest}` || '/' };
}

function escaped(text: string): string {
  return text.replaceAll(/[ \t\n\\]/g, (letter) => `\\${letter.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(\d{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}

/** Single-quotes text for the shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

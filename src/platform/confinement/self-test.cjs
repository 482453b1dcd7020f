// Started the way commands are, when the service starts: tries what a command must not be able to do, and prints a
// sentence for each attempt that succeeded. Nothing is written: a file that opens is closed again.
const {
  accessSync,
  closeSync,
  constants,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
} = require('node:fs');

const { uid, unwritable, hidden } = JSON.parse(process.argv[2]);
const succeeded = [];

/** @param {string} sentence @param {() => boolean} attempt */
function refused(sentence, attempt) {
  try {
    if (attempt()) succeeded.push(sentence);
  } catch {
    // As it should be.
  }
}

function opens(path, flags) {
  closeSync(openSync(path, flags));
  return true;
}

for (const path of unwritable)
  refused(`${path} can be changed`, () => {
    if (!statSync(path).isDirectory()) return opens(path, constants.O_WRONLY);
    accessSync(path, constants.W_OK);
    return true;
  });
for (const path of hidden) refused(`${path} can be read`, () => opens(path, constants.O_RDONLY));

const processes = readdirSync('/proc').filter(Number).length;
if (processes > 8) succeeded.push(`${processes} processes can be seen`);
if (process.getuid() !== uid) succeeded.push(`it runs as user ${process.getuid()}, not ${uid}`);

const status = readFileSync('/proc/self/status', 'utf8');
if (!/^CapEff:\s*0+$/m.test(status)) succeeded.push('it has capabilities');
if (!/^NoNewPrivs:\s*1$/m.test(status)) succeeded.push('it can gain privileges');

process.stdout.write(JSON.stringify(succeeded));

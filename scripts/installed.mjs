// Lists the packages installed with the program: those that the bundle leaves out, and their dependencies.

/** The names that the manifest of the published package keeps; the bundle holds the other dependencies. */
export function publishedDependencies({ dependencies, optionalDependencies }, { notBundled }) {
  const kept = Object.entries(dependencies).filter(([name]) => notBundled[name]);
  return { dependencies: Object.fromEntries(kept), optionalDependencies };
}

/** Entries of the lock, by place, that npm installs for these dependencies. */
export function installedWith(lock, { dependencies, optionalDependencies }) {
  const found = new Map();
  const visit = (name, from) => {
    const place = resolve(lock, name, from);
    if (place === undefined || found.has(place)) return;
    const entry = lock.packages[place];
    found.set(place, entry);
    for (const next of namesIn(entry)) visit(next, place);
  };
  for (const name of namesIn({ dependencies, optionalDependencies })) visit(name, '');
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1));
}

function namesIn({ dependencies, optionalDependencies }) {
  return Object.keys({ ...dependencies, ...optionalDependencies });
}

/** Looks beside the package, then in each folder above it, as Node does. */
function resolve(lock, name, from) {
  const place = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
  if (lock.packages[place]) return place;
  return from === ''
    ? undefined
    : resolve(lock, name, from.replace(/\/?node_modules\/(?:@[^/]+\/)?[^/]+$/, ''));
}

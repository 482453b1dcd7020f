/**
 * Whether there is time for what takes long and shows a case far from the usual one, too:
 * with `npm run soak -- --only whole`.
 */
export const isLong = process.env['DRYDOCK_TEST_SOAK'] === '1';

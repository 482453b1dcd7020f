/** Whether there is time for every combination: in `npm run soak`. Tests that take long as a whole have the tag `long`. */
export const isSoak = process.env['DRYDOCK_TEST_SOAK'] === '1';

/** As many personas and swarms as are read to say their names; the API gives no more at once. */
export const lookedUp = 200;

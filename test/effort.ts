/** TEST_LONG=1 asks for what a release is measured by (npm run test:long). */
export const LONG = process.env.TEST_LONG === '1'

/** How far a random or repeated test goes: as far as every change deserves, or all the way. */
export function effort(everyDay: number, long: number): number {
  return LONG ? long : everyDay
}

/** Threads that serve the hub's reads of a world on the embedded store: every test of it holds with any number. */
export const TEST_THREADS = process.env.ROOKERY_TEST_THREADS ?? '1'

/** Shards of the data on PostgreSQL: every test holds with any number. */
export const TEST_SHARDS = process.env.ROOKERY_TEST_SHARDS ?? '1'

/** TEST_LONG=1 asks for what a release is measured by (npm run test:long). */
export const LONG = process.env.TEST_LONG === '1'

/** How far a random or repeated test goes: as far as every change deserves, or all the way. */
export function effort(everyDay: number, long: number): number {
  return LONG ? long : everyDay
}

/** TEST_STRESS=1 runs so many busy loops beside the tests (npm run test:stress). */
export const STRESS_LOOPS = process.env.TEST_STRESS === '1' ? 6 : 0

// Time limits of requests to other servers, which the test lets pass.

import type { TestContext } from 'node:test'

/** From now until the end of the test, `AbortSignal.timeout` ends when `tick` says so. */
export function holdTimeouts(t: TestContext): Pick<TestContext['mock']['timers'], 'tick'> {
  // Node 26 has this name, and version 26 of its types does not.
  t.mock.timers.enable({ apis: ['AbortSignal.timeout' as 'setTimeout'] })
  return t.mock.timers
}

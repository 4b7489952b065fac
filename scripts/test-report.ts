// A reporter of `node --test` that writes a line of JSON for each test file of a run.

import type { TestEvent } from 'node:test/reporters'
import './whole-output.ts'

export type FileReport = {
  readonly file: string
  readonly ms: number
  /** Tests that were run, and tests and suites that were skipped with a reason; other suites are none. */
  readonly tests: number
}

/** Tests are reported before the test that contains them, and processes one after the other. */
export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let tests = 0
  for await (const { type, data } of source) {
    if (type !== 'test:pass' && type !== 'test:fail') continue
    if (data.nesting > 0) {
      if (data.details.type !== 'suite' || data.skip) tests++
      continue
    }
    yield `${JSON.stringify({ file: data.name, ms: data.details.duration_ms, tests })}\n`
    tests = 0
  }
}

// A reporter of node:test that sends a line to the parent process for each test that begins or ends.

import type { EventData } from 'node:test'
import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'

/** The outermost test, of nesting 0, is a file. */
export type Line =
  | { readonly kind: 'began'; readonly name: string; readonly nesting: number }
  | {
      readonly kind: 'ended'
      readonly name: string
      readonly nesting: number
      readonly isSuite: boolean
      readonly outcome: 'passed' | 'failed' | 'skipped'
      readonly ms: number
      /** Where the test is and what went wrong, unless it failed because a test in it did. */
      readonly failure?: string
    }
  /** Something went wrong that belongs to no test, for example after its end. */
  | { readonly kind: 'strayed'; readonly text: string }

// biome-ignore lint/correctness/useYield: a reporter is a generator, and this one prints nothing
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    const line = lineOf(event)
    if (line) process.send!(line)
  }
}

function lineOf({ type, data }: TestEvent): Line | undefined {
  if (type === 'test:dequeue') return { kind: 'began', name: data.name, nesting: data.nesting }
  if (type === 'test:diagnostic' && /asynchronous activity/.test(data.message)) {
    return { kind: 'strayed', text: data.message }
  }
  if (type !== 'test:pass' && type !== 'test:fail') return undefined
  const isSkipped = data.skip !== undefined || data.todo !== undefined
  return {
    kind: 'ended',
    name: data.name,
    nesting: data.nesting,
    isSuite: data.details.type === 'suite',
    outcome: isSkipped ? 'skipped' : type === 'test:fail' ? 'failed' : 'passed',
    ms: data.details.duration_ms,
    ...(type === 'test:fail' && { failure: failureOf(data) }),
  }
}

function failureOf({ name, file, line, details }: EventData.TestFail): string | undefined {
  const error = details.error as Error & { failureType?: string }
  if (error.failureType === 'subtestsFailed') return undefined
  return `${name}\n  at ${file}:${line}\n${inspect(error.cause ?? error, { depth: 5 })}`
}

import { RE2JS } from 're2js'
import { Rejection } from '../../protocol/rejection.ts'

// Callers write these expressions, and each runs on every cast. RE2 matches in time linear in the text and has
// no back references. JavaScript's own expressions may take exponential time.

export const MAX_EXPRESSION_CHARACTERS = 512
/** Instructions of a compiled expression: a text takes at most instructions times characters to match. */
export const MAX_EXPRESSION_INSTRUCTIONS = 2_000
/** An expression that may have more is not even compiled. 200,000 take about 0.3 s. */
const MAX_COMPILED_INSTRUCTIONS = 200_000
/** RE2 refuses nested repetitions that multiply to more. */
const MAX_NESTED_REPEATS = 1_000
const REPEAT = /\{(\d+)(?:,(\d*))?\}/g

export type Expression = {
  /** Whether the expression matches anywhere in the text. */
  test(text: string): boolean
}

/** Throws a Rejection that names the field unless it is an RE2 expression of bounded size. */
export function compileExpression(source: string, field: string): Expression {
  const refuse = (why: string) =>
    new Rejection('bad_request.validation_failure', `${field} ${why}`, { field })
  if (source.length > MAX_EXPRESSION_CHARACTERS) {
    throw refuse(`must be at most ${MAX_EXPRESSION_CHARACTERS} characters`)
  }
  const tooLarge = `repeats too much: it has more than ${MAX_EXPRESSION_INSTRUCTIONS} instructions`
  if (largestSize(source) > MAX_COMPILED_INSTRUCTIONS) throw refuse(tooLarge)
  let compiled: RE2JS
  try {
    compiled = RE2JS.compile(source)
  } catch {
    throw refuse('must be a regular expression of RE2')
  }
  if (compiled.programSize() > MAX_EXPRESSION_INSTRUCTIONS) throw refuse(tooLarge)
  return { test: (text) => compiled.test(text) }
}

/** Instructions that an expression has at most, as if all of it were in all of its repetitions. */
function largestSize(source: string): number {
  let repeats = 1
  for (const [, least = '', most = ''] of source.matchAll(REPEAT)) {
    repeats *= Math.max(1, Number(least), Number(most))
  }
  return source.length * Math.min(repeats, MAX_NESTED_REPEATS)
}

// Values as JSON has them, of bounded size: what messages between an app and its host may contain.

/** Of one message as JSON. */
export const MAX_MESSAGE_CHARACTERS = 64 * 1024
const MAX_DEPTH = 32
/** What JSON writes around a key or an item. */
const MARKS = 4

/**
 * Says what is wrong with a value; undefined when it is plain JSON of bounded size. It stops at the bound, so a long
 * value costs no more than a permitted one.
 */
export function plainFault(value: unknown): string | undefined {
  let left = MAX_MESSAGE_CHARACTERS
  const visit = (one: unknown, depth: number): string | undefined => {
    if (left < 0) return `the message is longer than ${MAX_MESSAGE_CHARACTERS} characters`
    if (typeof one === 'string') left -= one.length + MARKS
    else if (isScalar(one)) left -= MARKS
    else if (typeof one !== 'object' || depth > MAX_DEPTH || !isPlain(one!)) {
      return 'the message has values that JSON does not have'
    } else {
      for (const [key, inner] of Object.entries(one as object)) {
        left -= key.length + MARKS
        const fault = visit(inner, depth + 1)
        if (fault) return fault
      }
    }
    return left < 0 ? `the message is longer than ${MAX_MESSAGE_CHARACTERS} characters` : undefined
  }
  return visit(value, 0)
}

const isScalar = (value: unknown): boolean =>
  value === null || value === undefined || typeof value === 'boolean' || typeof value === 'number'

/** Objects come from another realm only as copies, whose prototypes are those of this one. */
const isPlain = (value: object): boolean => {
  if (Array.isArray(value)) return value.length <= MAX_MESSAGE_CHARACTERS
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

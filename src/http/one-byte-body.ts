import { answerMemory } from './answer-memory.ts'
import { Answer } from './route.ts'

// Bodies of texts that have one character for each byte: they are sent without being encoded.

/** The largest text that is joined with its headers. */
export const MAX_JOINED_BYTES = 16_384

/**
 * An answer to be kept: its large texts are bytes already, so that they are not encoded each time it is sent, and its
 * bytes share no memory with others.
 */
export const inOnePiece = (answer: Answer): Answer => {
  const { body, contentType, isOneByte, status, headers } = answer
  if (body instanceof Uint8Array && body.length < body.buffer.byteLength) {
    const own = new Answer(new Uint8Array(body), contentType, { status, headers })
    if (answerMemory.isCopy(body)) answerMemory.release(body)
    return own
  }
  if (!isOneByte || textLength(body) <= MAX_JOINED_BYTES) return answer
  const bytes = oneByteBody(body as string | readonly string[])
  return new Answer(bytes, contentType, { status, headers })
}

/** A text with one character for each byte, or a list of such texts, as bytes. */
export const oneByteBody = (body: string | readonly string[]): Buffer =>
  Buffer.from(typeof body === 'string' ? body : body.join(''), 'latin1')

/** Characters of a body of texts; 0 for others. */
export function textLength(body: Answer['body']): number {
  if (typeof body === 'string') return body.length
  return Array.isArray(body) ? body.reduce((sum, text) => sum + text.length, 0) : 0
}

import { hash } from 'node:crypto'
import type { Static, TSchema } from 'typebox'
import { type Answer, jsonText, type Written } from '../http/route.ts'

/** JSON with an etag of its text: a client with the same etag gets 304. */
export function taggedJson(value: object): Answer {
  const text = JSON.stringify(value)
  return jsonText(text, { headers: { etag: `W/"${hash('sha1', text, 'base64url')}"` } })
}

/** A reply with an etag. */
export const tagged = <S extends TSchema>(schema: S): Written<unknown, Static<S> & object> => ({
  schema,
  write: (_, value) => taggedJson(value),
})

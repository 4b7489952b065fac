import { hash } from 'node:crypto'
import { type Answer, jsonText } from '../http/route.ts'

/** JSON with an etag of its text: a client with the same etag gets 304. */
export function taggedJson(value: object): Answer {
  const text = JSON.stringify(value)
  return jsonText(text, { headers: { etag: `W/"${hash('sha1', text, 'base64url')}"` } })
}

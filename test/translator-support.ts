// Servers that behave as the documentation of LibreTranslate (https://docs.libretranslate.com) and of DeepL
// (https://developers.deepl.com) says, with faults on demand.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const LIBRE_KEY = '3b1c1f1e-7f1d-4bb0-9a83-a-key-of-libre'
export const DEEPL_KEY = '279a2e9d-83b3-c416-7e2d-a-key-of-deepl:fx'

/** What both know here. */
const CODES = ['en', 'de', 'es', 'pl', 'pt', 'nb', 'zh']

// biome-ignore lint/suspicious/noExplicitAny: bodies are looked into as they come
type Json = any
export type Seen = { readonly path: string; readonly body: Json; readonly raw: string }

export type StandIn = {
  readonly url: string
  /** Every request, in the order in which they came. */
  readonly seen: Seen[]
  /** Answers in place of the translator until it is taken away. */
  fault: ((response: ServerResponse) => void) | undefined
  close(): Promise<void>
}

const send = (response: ServerResponse, status: number, body: unknown) => {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

export const answering =
  (status: number, body: unknown = {}) =>
  (response: ServerResponse) =>
    send(response, status, body)

/** What the stand-in makes of a text. */
export const translated = (text: string, to: string): string => `(${to}) ${text}`

export async function startTranslator(): Promise<StandIn> {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(chunk)
    const raw = Buffer.concat(chunks).toString()
    const body = JSON.parse(raw)
    seen.push({ path: request.url!, body, raw: `${JSON.stringify(request.headers)} ${raw}` })
    if (standIn.fault) standIn.fault(response)
    else if (request.method !== 'POST') send(response, 405, { error: 'Method not allowed' })
    else if (request.url === '/translate') send(response, ...libre(body))
    else if (request.url === '/v2/translate') send(response, ...deepl(request, body))
    else send(response, 404, { error: 'Not found' })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const standIn: StandIn = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    fault: undefined,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return standIn
}

type Answer = readonly [status: number, body: unknown]

function libre({ q, source, target, format, api_key }: Json): Answer {
  if (api_key !== LIBRE_KEY) return [403, { error: 'Invalid API key' }]
  if (!q || !source || !target || format !== 'text') {
    return [400, { error: 'Invalid request: missing parameter' }]
  }
  const isAuto = source === 'auto'
  const unknown = [source, target].find((code) => !CODES.includes(code) && code !== 'auto')
  if (unknown || target === 'auto') return [400, { error: `${unknown} is not supported` }]
  const detectedLanguage = { confidence: 90, language: 'pl' }
  return [200, { ...(isAuto && { detectedLanguage }), translatedText: translated(q, target) }]
}

function deepl({ headers }: IncomingMessage, { text, target_lang }: Json): Answer {
  if (headers.authorization !== `DeepL-Auth-Key ${DEEPL_KEY}`)
    return [403, { message: 'Forbidden' }]
  const [code] = String(target_lang).toLowerCase().split('-')
  if (!Array.isArray(text) || !CODES.includes(code!)) {
    return [400, { message: "Value for 'target_lang' not supported." }]
  }
  const translations = text.map((one: string) => ({
    detected_source_language: 'PL',
    text: translated(one, code!),
  }))
  return [200, { translations }]
}

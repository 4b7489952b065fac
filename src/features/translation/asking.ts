import { type OutgoingRules, outgoingFailure, requestOutgoing } from '../../kernel/http/outgoing.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { MAX_ANSWER_BYTES, PAUSE_MS, TIMEOUT_MS } from './limits.ts'
import type { Translator, TranslatorKind } from './tables/translators.ts'

// The interfaces of translators: that of LibreTranslate, which has the key in the body, and that of DeepL, which has it in a header.

export type Asked = {
  readonly text: string
  /** A code of READABLE; undefined: the translator finds out. */
  readonly from: string | undefined
  /** A code of READABLE. */
  readonly to: string
}
export type Translated = { readonly text: string; readonly from: string | undefined }

/** Where and how to ask. */
export type Place = Pick<Translator, 'kind' | 'address' | 'own_network'> & { readonly key: string }

export const NAMES: Readonly<Record<TranslatorKind, string>> = {
  libretranslate: 'LibreTranslate',
  deepl: 'DeepL',
}

type Interface = {
  readonly path: string
  headers(key: string): Record<string, string>
  body(asked: Asked, key: string): object
  /** Throws where the answer does not have its shape. */
  read(answer: never): { readonly text: unknown; readonly from: unknown }
}

/** Codes of READABLE that a translator calls otherwise. */
const LIBRE_CODES: Readonly<Record<string, string>> = { no: 'nb' }
/** Targets that DeepL wants to know exactly. */
const DEEPL_TARGETS: Readonly<Record<string, string>> = {
  en: 'EN-US',
  pt: 'PT-BR',
  zh: 'ZH-HANS',
  no: 'NB',
}

const INTERFACES: Readonly<Record<TranslatorKind, Interface>> = {
  libretranslate: {
    path: 'translate',
    headers: () => ({}),
    body: ({ text, from, to }, key) => ({
      q: text,
      source: from === undefined ? 'auto' : (LIBRE_CODES[from] ?? from),
      target: LIBRE_CODES[to] ?? to,
      format: 'text',
      ...(key !== '' && { api_key: key }),
    }),
    read: (answer: { translatedText: unknown; detectedLanguage?: { language?: unknown } }) => ({
      text: answer.translatedText,
      from: answer.detectedLanguage?.language,
    }),
  },
  deepl: {
    path: 'v2/translate',
    headers: (key) => ({ authorization: `DeepL-Auth-Key ${key}` }),
    // It finds the language out itself: it would refuse one that it does not know.
    body: ({ text, to }) => ({ text: [text], target_lang: DEEPL_TARGETS[to] ?? to.toUpperCase() }),
    read: (answer: {
      translations: readonly { text: unknown; detected_source_language?: unknown }[]
    }) => ({
      text: answer.translations[0]!.text,
      from: answer.translations[0]!.detected_source_language,
    }),
  },
}

/** How an answer with a status is to be understood. DeepL says with 456 that the characters of the month are used up. */
const REFUSALS: Readonly<Record<number, string>> = {
  400: 'it does not translate between these languages, or not such a text',
  401: 'it does not accept the key of this server',
  403: 'it does not accept the key of this server',
  404: 'there is no translator of this kind at its address',
  413: 'the text is too long for it',
  429: 'this server has asked it for too much',
  456: 'what this server may have translated in a month is used up',
}
const TOO_MUCH: readonly number[] = [429, 456]

export const FIELD = 'address'

/** A refusal that says what is wrong with the translator. It has nothing of its address, the key, the text or what it wrote. */
export class TranslatorFault extends Rejection {
  /** Whether the translator is over its limits, so that no request is sent to it for PAUSE_MS. */
  readonly isTooMuch: boolean

  constructor(why: string, isTooMuch = false) {
    const hints = isTooMuch ? { retryAfterSeconds: PAUSE_MS / 1_000 } : {}
    super('unavailable', `the translator cannot be used: ${why}`, hints)
    this.isTooMuch = isTooMuch
  }
}

/** LibreTranslate has one status, 400, for a missing key and for a language that it does not know. */
const MAY_WANT_KEY = `${REFUSALS[400]}, or it wants a key`

/** Where requests to a translator go: below its address, if that has a path. */
export const targetOf = ({ kind, address }: Pick<Place, 'kind' | 'address'>): URL =>
  new URL(INTERFACES[kind].path, address.endsWith('/') ? address : `${address}/`)

export const rulesOf = (
  { own_network }: Pick<Place, 'own_network'>,
  rules: Omit<OutgoingRules, 'field'>,
): OutgoingRules => ({ ...rules, field: FIELD, allowOwnNetwork: own_network === 1 })

/** One exchange. A TranslatorFault says why there is no translation. */
export async function askTranslator(
  place: Place,
  asked: Asked,
  rules: Omit<OutgoingRules, 'field'>,
  { stop, timeoutMs = TIMEOUT_MS }: { readonly stop: AbortSignal; readonly timeoutMs?: number },
): Promise<Translated> {
  const spoken = INTERFACES[place.kind]
  const target = targetOf(place)
  const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)])
  const body = JSON.stringify(spoken.body(asked, place.key))
  const headers = {
    accept: 'application/json',
    'accept-encoding': 'identity',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...spoken.headers(place.key),
  }
  let status: number
  let answer: string | undefined
  try {
    const sent = { method: 'POST', headers, body, signal } as const
    const response = await requestOutgoing(target, rulesOf(place, rules), sent)
    try {
      status = response.statusCode ?? 0
      answer = status === 200 ? await textOf(response) : undefined
    } finally {
      response.destroy()
    }
  } catch (failure) {
    if (failure instanceof TranslatorFault) throw failure
    // Members read it: where in the network of the server the translator is, does not concern them.
    const { message } = outgoingFailure(target, FIELD, failure, signal)
    throw new TranslatorFault(message.replace(`${target.origin}${target.pathname}`, 'it'))
  }
  if (answer === undefined) {
    const known = status === 400 && place.key === '' ? MAY_WANT_KEY : REFUSALS[status]
    const why = known ?? `it answered with the status ${status}`
    throw new TranslatorFault(why, TOO_MUCH.includes(status))
  }
  return read(spoken, answer)
}

async function textOf(response: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of response) {
    bytes += piece.length
    if (bytes > MAX_ANSWER_BYTES) {
      throw new TranslatorFault(`its answer has more than ${MAX_ANSWER_BYTES} bytes`)
    }
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}

function read(spoken: Interface, answer: string): Translated {
  try {
    const { text, from } = spoken.read(JSON.parse(answer) as never)
    if (typeof text === 'string') {
      return { text, from: typeof from === 'string' ? readableCode(from) : undefined }
    }
  } catch {}
  throw new TranslatorFault('its answer is not one of a translator of this kind')
}

/** `EN` and `pt-BR` are `en` and `pt` here. */
function readableCode(code: string): string | undefined {
  const [first] = code.toLowerCase().split('-')
  return /^[a-z]{2}$/.test(first!) ? (first === 'nb' ? 'no' : first) : undefined
}

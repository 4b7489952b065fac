import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { TLocalizedValidationError } from 'typebox/error'
import { Rejection } from '../../protocol/rejection.ts'
import { NO_BYTES } from '../../protocol/sizes.ts'
import { missingFault } from '../faults.ts'
import type { InterfaceOptions } from '../options.ts'
import type { BodySpec } from '../route.ts'
import { tellingError } from './schema-errors.ts'

/** Largest body unless the interface says otherwise: one MiB, as at deployed hubs. */
export const DEFAULT_BODY_LIMIT_BYTES = 1_048_576

/**
 * Largest JSON body, unless the route or a smaller limit of the interface says otherwise. A mebibyte of keys
 * or brackets takes a quarter of a second to parse and check.
 */
export const JSON_BODY_LIMIT_BYTES = 65_536

/** Largest form unless the route says otherwise. */
export const FORM_BODY_LIMIT_BYTES = 4_096

/** Largest body of a route. Operators import large bodies. */
export function bodyLimitOf(
  body: BodySpec | undefined,
  {
    name,
    bodyLimitBytes = DEFAULT_BODY_LIMIT_BYTES,
  }: Pick<InterfaceOptions, 'name' | 'bodyLimitBytes'>,
): number {
  if (body?.kind === 'octets') return body.maxBytes ?? bodyLimitBytes
  if (name === 'operations' || !body) return bodyLimitBytes
  const usual = body.kind === 'form' ? FORM_BODY_LIMIT_BYTES : JSON_BODY_LIMIT_BYTES
  return Math.min(bodyLimitBytes, body.maxBytes ?? usual)
}

const MEDIA_TYPES: Record<BodySpec['kind'], readonly string[]> = {
  octets: ['application/octet-stream'],
  json: ['application/json'],
  form: ['application/x-www-form-urlencoded', 'multipart/form-data'],
}

export const mediaTypesOf = (spec: BodySpec): readonly string[] => MEDIA_TYPES[spec.kind]

const hasBody = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Whether a body is sent as it is, which is the only content coding that is taken. */
export const isUncoded = (headers: IncomingHttpHeaders): boolean => {
  const coding = headers['content-encoding']?.trim().toLowerCase()
  return !coding || coding === 'identity'
}

/** Refuses a compressed body, and one with another content type than declared; parameters and case are ignored. */
export function checkMediaType(spec: BodySpec, headers: IncomingHttpHeaders): void {
  if (!isUncoded(headers) && hasBody(headers)) {
    throw new Rejection(
      'bad_request.unsupported_media_type',
      `content-encoding ${headers['content-encoding']} is not supported, send the body uncompressed`,
    )
  }
  const header = headers['content-type']
  if (header === undefined && !hasBody(headers)) return
  const mediaType = (header ?? '').split(';', 1)[0]!.trim().toLowerCase()
  const taken = mediaTypesOf(spec)
  if (taken.includes(mediaType)) return
  const found = header === undefined ? 'a body without content type' : `content type ${mediaType}`
  throw new Rejection(
    'bad_request.unsupported_media_type',
    `${found} is not supported, send ${taken.join(' or ')}`,
  )
}

/** Makes the reader of a route's body from the received bytes; undefined when there is no body, a promise for a form. */
export function compileBody(
  spec: BodySpec | undefined,
  parseJson: (text: string) => unknown,
): (received: Uint8Array | undefined, contentType: string | undefined) => unknown {
  if (spec === undefined) return () => undefined
  if (spec.kind === 'octets') return (received) => received ?? NO_BYTES
  if (spec.kind === 'form') {
    const check = compileCheck(spec.schema)
    return async (received, contentType) => check(await parseForm(received, contentType))
  }
  const check = spec.unchecked ? checkObject : compileCheck(spec.schema)
  return (received) => check(parseText(received ?? NO_BYTES, parseJson))
}

function parseText(received: Uint8Array, parseJson: (text: string) => unknown): unknown {
  if (received.length === 0) throw notJson('the body is empty')
  // Replacement characters would change the text that was signed.
  if (!isUtf8(received)) throw notJson('the body is not UTF-8')
  try {
    return parseJson(Buffer.from(received.buffer, received.byteOffset, received.length).toString())
  } catch {
    throw notJson('the body is not JSON')
  }
}

/** The fields of a form. Files are none. */
async function parseForm(
  received: Uint8Array | undefined = NO_BYTES,
  contentType = '',
): Promise<Record<string, string>> {
  const headers = { 'content-type': contentType }
  const body = received as Uint8Array<ArrayBuffer>
  const fields = await new Response(body, { headers }).formData().catch(() => {
    throw new Rejection(
      'bad_request.parse_failure',
      `the body is not a form: send ${MEDIA_TYPES.form.join(' or ')}`,
    )
  })
  const texts = new Map<string, string>()
  for (const [field, value] of fields) {
    const fault = texts.has(field)
      ? 'is given more than once'
      : typeof value !== 'string' && 'must not be a file'
    if (fault) throw new Rejection('bad_request.validation_failure', `${field} ${fault}`, { field })
    texts.set(field, value as string)
  }
  return Object.fromEntries(texts)
}

function checkObject(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) return value
  throw notJson('the body is not a JSON object')
}

const notJson = (message: string): Rejection => new Rejection('bad_request.parse_failure', message)

const validators = new WeakMap<TSchema, ReturnType<typeof Compile>>()

/**
 * Makes the check of a JSON value, which returns it unchanged or throws with the first faulty field. A start would
 * spend a twentieth of its time compiling schemas, so each is compiled with its first value.
 */
function compileCheck(schema: TSchema): (value: unknown) => unknown {
  return (value) => {
    const validator = validators.getOrInsertComputed(schema, () => Compile(schema))
    if (validator.Check(value)) return value
    throw describe(tellingError(validator.Errors(value)), schema)
  }
}

/** With it a schema says in words what its pattern takes: "must be a colour like #0b5d57". */
export const MUST_BE = 'x-must-be'

/** What the schema at a path says about its pattern. */
function wordsOf(schema: TSchema, schemaPath: string): string | undefined {
  const names = schemaPath.split('/').slice(1)
  const at = (found: unknown, name: string) =>
    (found as Record<string, unknown> | undefined)?.[name]
  const words = at(names.reduce(at, schema as unknown), MUST_BE)
  return typeof words === 'string' ? words : undefined
}

function describe(error: TLocalizedValidationError, schema: TSchema): Rejection {
  const { keyword, instancePath } = error
  // In the form that published clients read: the keyword is the end of the path.
  const schemaPath = `${error.schemaPath}/${keyword}`
  const path = instancePath.slice(1).replaceAll('/', '.')
  const words = keyword === 'pattern' ? wordsOf(schema, error.schemaPath) : undefined
  const message = words === undefined ? error.message : `must be ${words}`
  const [property, text] = words === undefined ? faultOf(error) : [undefined, message]
  const field = [path, property].filter(Boolean).join('.')
  const fault =
    error.keyword === 'required'
      ? missingFault(property!, { instancePath, schemaPath })
      : { instancePath, schemaPath, keyword, params: error.params, message }
  return new Rejection('bad_request.validation_failure', `${field || 'the body'} ${text}`, {
    ...(field !== '' && { field }),
    fault,
  })
}

/** The property below the path of an error that it is about, and what is wrong. */
function faultOf(error: TLocalizedValidationError): [property: string | undefined, text: string] {
  switch (error.keyword) {
    case 'required':
      return [error.params.requiredProperties[0], 'is missing']
    case 'additionalProperties':
      return [error.params.additionalProperties[0], 'is not a known field']
    case 'const':
      return [undefined, `must be ${JSON.stringify(error.params.allowedValue)}`]
    default:
      return [undefined, error.message]
  }
}

// Random requests, the same for the same seed: made by the grammar that the documents declare, mutations of those,
// and noise. Each kind finds other faults: the first reaches the rules, the last the parsers.

import { create, type DescField, type DescMessage, toBinary } from '@bufbuild/protobuf'
import { DEVELOPMENT_KEY } from '../../src/kernel/app-api/given-keys.ts'
import {
  castAdd,
  castRemove,
  linkAdd,
  linkCompactState,
  reactionAdd,
  userDataAdd,
  verificationRemove,
} from '../../src/kernel/protocol/build.ts'
import { encodeEnvelope } from '../../src/kernel/protocol/codec/envelope.ts'
import { bytesField } from '../../src/kernel/protocol/codec/wire-write.ts'
import type { Random } from '../random.ts'
import type { TestAccount, World } from '../world.ts'
import { grpcMethods, type Operation, type Parameter, type Schema } from './operations.ts'

export type HttpRequest = {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
  readonly isEndless: boolean
  /** The body as it is sent, piece by piece, in place of at once. */
  readonly pieces?: readonly Buffer[]
  /** Whether the client leaves before the announced end of the body. */
  readonly isCutOff?: boolean
}
export type GrpcRequest = { readonly grpcMethod: string; readonly request: Buffer }
export type FuzzRequest = HttpRequest | GrpcRequest

/** Values that some parser somewhere took for something else. */
const TEXTS = [
  ...['', ' ', '0', '-0', '-1', '1', '1.5', '1e3', '1e309', '0x', '0x0', '0b1', '٣', '+1', '1_000'],
  ...['4294967295', '4294967296', '9007199254740993', '18446744073709551616', '9'.repeat(400)],
  ...['null', 'undefined', 'true', 'NaN', '[]', '{}', '__proto__', 'constructor', 'toString'],
  ...[
    'a',
    'A',
    'follow',
    'alice',
    'a.eth',
    '-',
    '_',
    '.',
    '..',
    '../../etc/passwd',
    '%',
    '%00',
    '%zz',
  ],
  ...["' or 1=1 --", '"', '\\', '\u0000', '\ud83e\udd9c', '\u202e', '\ufffd', '\u00e9', 'ﬀ', 'İ'],
  ...[
    'https://example.org/',
    'https://[',
    'javascript:1',
    'http://127.0.0.1:1/',
    '//x',
    'a'.repeat(2_000),
  ],
  ...[
    '='.repeat(3_000),
    `${'='.repeat(3_000)}a`,
    '0'.repeat(3_000),
    ' '.repeat(3_000),
    '-'.repeat(3_000),
  ],
]
const NUMBERS = [
  0,
  1,
  2,
  3,
  5,
  10,
  100,
  1_000,
  -1,
  1.5,
  2 ** 31,
  2 ** 32 - 1,
  2 ** 32,
  2 ** 53,
  1e308,
]
const ODD_VALUES = [
  ...['', '*', 'W/"a"', '"', 'bytes=-', 'bytes=0-', 'bytes=-10', 'bytes=9-1', 'bytes=0-0,5-6'],
  ...['gzip;q=0', 'br, gzip, zstd', 'identity', '*/*;q=', 'text/html', 'application/json, */*'],
  ...['100-continue', 'trailers', 'websocket', 'h2c', 'null', 'https://evil.example', '[::1]:1'],
  ...['a'.repeat(4_000), ','.repeat(2_000), ';'.repeat(2_000), '0'.repeat(30)],
]
const HEX_BYTES = [0, 1, 4, 20, 20, 20, 32, 32, 64, 65, 96]

export type Generator = { next(): FuzzRequest }

export function requestGenerator(
  random: Random,
  operations: readonly Operation[],
  { world, accounts }: { readonly world: World; readonly accounts: readonly TestAccount[] },
): Generator {
  const { int, pick } = random
  const chance = (n: number) => int(n) === 0
  const bytes = (length: number) => Buffer.from(Array.from({ length }, () => int(256)))
  const hex = (length: number) => `0x${bytes(length).toString('hex')}`
  const tokens = accounts.map((account) => world.token(account))
  const messages = signedMessages(world, accounts)
  const hashes = messages.map(({ hash }) => `0x${hash}`)

  const knownText = (): string =>
    pick([
      () => String(1 + int(6)),
      () => pick(hashes),
      () => hex(pick(HEX_BYTES)),
      () => pick(TEXTS),
      () => bytes(int(60)).toString('base64url'),
    ])()

  const patterns = new Map<string, RegExp>()
  const textFor = (schema: Schema): string => {
    const { pattern } = schema
    if (typeof pattern !== 'string') return knownText()
    const compiled = patterns.get(pattern) ?? new RegExp(pattern)
    patterns.set(pattern, compiled)
    let text = knownText()
    for (let tries = 0; tries < 12 && !compiled.test(text); tries++) text = knownText()
    return text
  }

  const valueFor = (schema: Schema, depth = 0): unknown => {
    if (chance(24)) return pick([null, true, [], {}, pick(TEXTS), pick(NUMBERS), [null]])
    if (schema.enum) return pick(schema.enum)
    if (schema.const !== undefined) return schema.const
    const choices = schema.anyOf ?? schema.oneOf
    if (choices) return valueFor(pick(choices), depth + 1)
    if (schema.allOf) {
      return Object.assign({}, ...schema.allOf.map((one: Schema) => valueFor(one, depth + 1)))
    }
    switch (schema.type) {
      case 'object':
        return objectFor(schema, depth)
      case 'array':
        return Array.from({ length: depth > 6 ? 0 : int(4) }, () =>
          valueFor(schema.items ?? {}, depth + 1),
        )
      case 'integer':
      case 'number':
        return chance(3) ? pick(NUMBERS) : int(Math.min(schema.maximum ?? 50, 2 ** 31))
      case 'boolean':
        return chance(2)
      default:
        return textFor(schema)
    }
  }
  const objectFor = (schema: Schema, depth: number): object => {
    const required = new Set<string>(schema.required ?? [])
    const entries = Object.entries<Schema>(schema.properties ?? {})
      .filter(([name]) => (required.has(name) ? !chance(16) : chance(2)))
      .map(([name, property]) => [name, valueFor(property, depth + 1)])
    if (chance(30)) entries.push([pick(['__proto__', 'constructor', 'x', '']), pick(TEXTS)])
    return Object.fromEntries(entries)
  }

  const isSent = ({ required }: Parameter) => (required ? !chance(20) : chance(3))
  const parameterText = ({ schema }: Parameter) => {
    const value = valueFor(schema)
    return typeof value === 'object' ? JSON.stringify(value) : String(value)
  }

  const ofGrammar = (): HttpRequest => {
    const operation = pick(operations)
    const ofPlace = (place: Parameter['in']) =>
      operation.parameters.filter((one) => one.in === place)
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => {
      const parameter = operation.parameters.find((one) => one.in === 'path' && one.name === name)
      return encode(parameter ? parameterText(parameter) : knownText()).slice(0, 8_000)
    })
    const query = ofPlace('query')
      .filter(isSent)
      .flatMap((one) => Array(chance(12) ? 2 : 1).fill(one))
      .map((one) => `${encode(one.name)}=${encode(parameterText(one))}`)
    const body = bodyFor(operation)
    const type = operation.takesOctets ? 'application/octet-stream' : 'application/json'
    return {
      url: `${operation.url}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`.slice(
        0,
        14_000,
      ),
      method: operation.method,
      headers: {
        ...(body && !chance(40) && { 'content-type': type }),
        ...(!chance(4) && { authorization: `Bearer ${pick(tokens)}` }),
        ...(!chance(4) && { 'x-api-key': DEVELOPMENT_KEY }),
        ...(chance(10) && { 'last-event-id': knownText().replace(/[^\x20-\x7e]/g, '?') }),
        ...(chance(30) && { 'if-none-match': pick(['*', 'W/"x"', '"']) }),
      },
      body,
      isEndless: operation.isEndless,
    }
  }
  const bodyFor = ({ json, takesOctets }: Operation): Buffer | undefined => {
    if (takesOctets) return chance(3) ? bulkBody() : messageBody()
    return json && Buffer.from(JSON.stringify(valueFor(json)) ?? '')
  }
  const messageBody = () => {
    const message = pick(messages).bytes
    return chance(3) ? message : mutatedBytes(message)
  }
  const bulkBody = () =>
    Buffer.concat(Array.from({ length: int(6) }, () => bytesField(1, messageBody())))

  const mutatedBytes = (source: Uint8Array): Buffer => {
    let result = Buffer.from(source)
    for (let n = 1 + int(3); n > 0; n--) {
      const at = int(result.length + 1)
      if (!chance(3) && at < result.length) result[at] = result[at]! ^ (1 << int(8))
      else {
        const rest = result.subarray(at + pick([0, 1, int(40)]))
        result = Buffer.concat([result.subarray(0, at), bytes(int(5)), rest])
      }
    }
    return result
  }
  const mutated = (): HttpRequest => {
    const request = ofGrammar()
    const { pathname, origin, search } = new URL(request.url)
    switch (int(6)) {
      case 0:
        return {
          ...request,
          method: pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']),
        }
      case 1:
        return { ...request, url: origin + printable(mutatedBytes(Buffer.from(pathname + search))) }
      case 2:
        return { ...request, headers: { ...request.headers, authorization: mutatedToken() } }
      case 3: {
        const type = pick([
          'text/plain',
          'application/json; charset=x',
          'application/octet-stream',
          '/',
        ])
        return { ...request, headers: { ...request.headers, 'content-type': type } }
      }
      default:
        return { ...request, body: mutatedBytes(request.body ?? bytes(int(50))) }
    }
  }
  const mutatedToken = () =>
    `${pick(['Bearer', 'bearer', 'Basic', ''])} ${printable(mutatedBytes(Buffer.from(pick(tokens))))}`
  const noise = (): HttpRequest => {
    const { url, method } = pick(operations)
    return {
      url: url + printable(bytes(int(120))),
      method,
      headers: { 'content-type': pick(['application/json', 'application/octet-stream']) },
      body: bytes(int(300)),
      isEndless: true,
    }
  }

  /** What proxies and browsers send, and what looks like it. */
  const hop = (): string =>
    pick([
      () => `203.0.113.${int(256)}`,
      () => `203.0.113.${int(256)}:${int(70_000)}`,
      () => `[2001:db8:${int(9)}::${int(9)}]:${int(70_000)}`,
      () => `"[2001:db8::${int(9)}]"`,
      () => `::ffff:10.0.0.${int(300)}`,
      () =>
        pick([
          '127.0.0.1',
          '64:ff9b::1',
          'unknown',
          '_a',
          '',
          '[',
          ']:',
          '"',
          'fe80::1%a',
          '1',
          '0x7f.1',
        ]),
      () => printable(bytes(int(40))).slice(1),
    ])()
  const cookie = (): string =>
    pick([
      () => `a=${printable(bytes(int(80)))}`,
      () => `${'b=1; '.repeat(int(200))}c`,
      () => `__proto__=${int(9)}; constructor=; =; ;;`,
      () => `theme="${printable(bytes(int(20)))}`,
    ])()
  const oddHeader = (): readonly [string, string] =>
    pick([
      () =>
        [
          'x-forwarded-for',
          Array.from({ length: int(8) }, hop).join(pick([', ', ',', ' , '])),
        ] as const,
      () => ['cookie', cookie()] as const,
      () =>
        [
          pick(['if-none-match', 'if-match', 'range', 'if-range', 'accept', 'accept-encoding']),
          pick(ODD_VALUES),
        ] as const,
      () =>
        [
          pick(['content-encoding', 'expect', 'te', 'upgrade', 'origin', 'host']),
          pick(ODD_VALUES),
        ] as const,
      () =>
        [
          pick([
            'x-request-id',
            'x-api-key',
            'x-rookery-after',
            'x-rookery-path',
            'forwarded',
            'x-forwarded-host',
            'x-forwarded-proto',
          ]),
          pick([hop, cookie, () => pick(ODD_VALUES)])(),
        ] as const,
      () => [`x-${bytes(int(9)).toString('hex')}`, printable(bytes(int(500)))] as const,
    ])()
  /** The same request with odd headers, its body in pieces, or cut off. */
  const odd = (request: HttpRequest): HttpRequest => {
    const headers = {
      ...request.headers,
      ...Object.fromEntries(Array.from({ length: int(4) }, oddHeader)),
    }
    if (!request.body || ['GET', 'HEAD'].includes(request.method)) return { ...request, headers }
    const isCutOff = chance(3)
    const { body } = request
    const pieces = random
      .cut([...body], Math.max(1, body.length))
      .map((piece) => Buffer.from(piece))
    const announced = { 'content-length': String(body.length + (isCutOff ? 1 + int(100_000) : 0)) }
    return {
      ...request,
      headers: { ...headers, ...(isCutOff || chance(2) ? announced : {}) },
      pieces: isCutOff ? pieces.slice(0, int(pieces.length + 1)) : pieces,
      isCutOff,
    }
  }

  const ofGrpc = (): GrpcRequest => {
    const { name, input } = pick(grpcMethods)
    const request = Buffer.from(toBinary(input, wireMessage(input, 0)))
    const isSubmit = name.startsWith('Submit') || name === 'ValidateMessage'
    const body = isSubmit ? (name === 'SubmitBulkMessages' ? bulkBody() : messageBody()) : request
    return { grpcMethod: name, request: chance(3) ? mutatedBytes(body) : body }
  }
  const wireMessage = (descriptor: DescMessage, depth: number) => {
    const fields = descriptor.fields.filter(() => !chance(3))
    const values = new Map<string, unknown>()
    for (const field of fields) {
      const value = wireValue(field, depth)
      if (value === undefined) continue
      if (field.oneof) values.set(field.oneof.localName, { case: field.localName, value })
      else values.set(field.localName, value)
    }
    return create(descriptor, Object.fromEntries(values))
  }
  const wireValue = (field: DescField, depth: number): unknown => {
    switch (field.fieldKind) {
      case 'message':
        return depth > 4 ? undefined : wireMessage(field.message, depth + 1)
      case 'enum':
        return int(6)
      case 'list': {
        const { listKind } = field
        if (listKind === 'message') {
          return depth > 2
            ? []
            : Array.from({ length: int(3) }, () => wireMessage(field.message, depth + 1))
        }
        const scalar = listKind === 'scalar' ? field.scalar : 13
        return Array.from({ length: int(4) }, () => scalarValue(scalar))
      }
      case 'scalar':
        return scalarValue(field.scalar)
      default:
        return undefined
    }
  }
  /** By the numbers of google.protobuf.FieldDescriptorProto.Type. */
  const scalarValue = (type: number): unknown => {
    if (type === 9) return knownText()
    if (type === 12)
      return pick([bytes(pick(HEX_BYTES)), Buffer.from(pick(hashes).slice(2), 'hex')])
    if (type === 8) return chance(2)
    if ([3, 4, 6, 16, 18].includes(type)) {
      return BigInt(pick([0, 1, 2, 3, 4, 5, int(2 ** 31), 2 ** 32, 2 ** 53 - 1]))
    }
    return pick([0, 1, 2, 3, 1_000, int(2 ** 31)])
  }

  return {
    next() {
      const kind = int(20)
      if (kind < 4) return ofGrpc()
      const request = kind < 13 ? ofGrammar() : kind < 19 ? mutated() : noise()
      return chance(3) ? odd(request) : request
    },
  }
}

/** Percent-encodes a text of any content, half surrogates included. */
const encode = (text: string): string => encodeURIComponent(text.toWellFormed())

/** What Node's own client agrees to send. */
const printable = (bytes: Buffer): string =>
  `/${bytes.toString('latin1').replace(/[^\x21-\x7e]/g, '?')}`

/** Messages that the hub accepts, of several kinds and authors. */
function signedMessages(world: World, accounts: readonly TestAccount[]) {
  return accounts.flatMap((account) => {
    const origin = world.origin(account)
    const cast = world.sign(account, castAdd(origin, 'hello'))
    const all = [
      cast,
      world.sign(account, castAdd({ ...origin, timestamp: origin.timestamp - 1 }, 'again')),
      world.sign(account, castRemove(origin, cast.hash)),
      world.sign(account, reactionAdd(origin, 1, { fid: 1, hash: cast.hash })),
      world.sign(account, linkAdd(origin, 'follow', 2)),
      world.sign(account, linkCompactState(origin, 'follow', [1, 2, 3])),
      world.sign(account, userDataAdd(origin, 2, 'name')),
      world.sign(account, verificationRemove(origin, new Uint8Array(20).fill(7))),
    ]
    return all.map((message) => ({
      hash: Buffer.from(message.hash).toString('hex'),
      bytes: Buffer.from(encodeEnvelope(message)),
    }))
  })
}

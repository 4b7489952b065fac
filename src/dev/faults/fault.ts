import Type, { type Static } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { FaultPaths } from './paths.ts'

// What a developer may break on purpose, to see what an app makes of it.

/** Longer than the patience of any client. */
const MAX_DELAY_MS = 600_000
const MAX_COUNT = 1_000_000
const MAX_PATH_CHARACTERS = 500
/** More than a test suite has in force at a time; each request looks at all of them. */
const MAX_FAULTS = 100

/** The header with which one request asks for a fault of its own. */
export const FAULT_HEADER = 'x-rookery-fault'

const effects = {
  status: Type.Optional(
    Type.Union([Type.Literal(0), Type.Integer({ minimum: 400, maximum: 599 })], {
      description:
        'The request is refused with this status from 400 to 599; 0 cuts its connection.',
    }),
  ),
  retryAfterSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 86_400,
      description: 'What a 429 or 503 asks for; 1 unless given.',
    }),
  ),
  delayMs: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_DELAY_MS, description: 'Waits before the answer.' }),
  ),
  dropStreamAfter: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_COUNT,
      description: 'The connection of a stream is cut after so many events.',
    }),
  ),
  duplicateEvents: Type.Optional(Type.Boolean({ description: 'A stream sends each event twice.' })),
  reorder: Type.Optional(
    Type.Boolean({ description: 'Neighbouring events of a stream change places, two by two.' }),
  ),
}

export const Fault = Type.Object(
  {
    path: Type.String({
      minLength: 1,
      maxLength: MAX_PATH_CHARACTERS,
      description:
        'As at the front door, such as /hub/v1/castById, or of a gRPC method, such as /HubService/GetCast; * at the ' +
        'end stands for any rest. chain with delayMs: account calls wait so long for their confirmation.',
    }),
    times: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_COUNT,
        description: 'For so many requests; for all unless given.',
      }),
    ),
    ...effects,
  },
  { additionalProperties: false, $id: 'Fault', description: 'What is broken on purpose.' },
)
export type Fault = Static<typeof Fault>

export const FaultList = Type.Object(
  { faults: Type.Array(Fault, { maxItems: MAX_FAULTS }) },
  { additionalProperties: false },
)

/** What happens to one request. */
export type Effects = Omit<Fault, 'path' | 'times'>

let effectsOfHeader: Validator | undefined

/** Reads `status=429; retryAfterSeconds=3`. Throws a Rejection that names the header. */
export function readFaultHeader(text: string): Effects {
  const parts = text.split(';').filter((part) => part.trim() !== '')
  const pairs = parts.map((part) => {
    const [, name = part, value = 'true'] = /^\s*(\w+)(?:=(\w+))?\s*$/.exec(part) ?? []
    return [name, flagOrNumber(value)]
  })
  const found = Object.fromEntries(pairs)
  // Compiled for the first header: most starts see none.
  effectsOfHeader ??= Compile(Type.Object(effects, { additionalProperties: false }))
  if (pairs.length > 0 && effectsOfHeader.Check(found)) return found as Effects
  const message =
    `${FAULT_HEADER} must name faults, such as status=429; retryAfterSeconds=3, of ` +
    Object.keys(effects).join(', ')
  throw new Rejection('bad_request.invalid_param', message, { field: FAULT_HEADER })
}

const flagOrNumber = (text: string): unknown =>
  /^\d+$/.test(text) ? Number(text) : text === 'true' ? true : text

/** The faults that are in force. */
export class Faults {
  readonly paths = new FaultPaths()
  #faults: readonly { readonly fault: Fault; left: number }[] = []

  list(): Fault[] {
    return this.#faults.map(({ fault, left }) =>
      fault.times === undefined ? fault : { ...fault, times: left },
    )
  }

  replace(faults: readonly Fault[]): void {
    this.#faults = faults.map((fault) => ({
      fault,
      left: fault.times ?? Number.POSITIVE_INFINITY,
    }))
  }

  /** What is to happen to a request: by its header, or by the first fault for its path. */
  take(path: string, header: string | undefined): Effects | undefined {
    if (header !== undefined) return readFaultHeader(header)
    const found = this.#faults.find(({ fault }) => isFor(fault, path))
    if (!found) return undefined
    found.left--
    if (found.left === 0) this.#faults = this.#faults.filter((one) => one !== found)
    return found.fault
  }
}

const isFor = ({ path }: Fault, asked: string): boolean =>
  path.endsWith('*') ? asked.startsWith(path.slice(0, -1)) : asked === path

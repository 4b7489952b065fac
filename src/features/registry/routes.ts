import { getAddress } from 'viem/utils'
import { errorBody } from '../../kernel/http/errors.ts'
import {
  alias,
  described,
  intParam,
  optional,
  type Param,
  textParam,
} from '../../kernel/http/input/params.ts'
import {
  type Answer,
  bind,
  jsonAnswer,
  jsonText,
  type RequestInfo,
  type Route,
  route,
  uncheckedJson,
} from '../../kernel/http/route.ts'

import { fromHex, toHex } from '../../kernel/protocol/codec/bytes.ts'
import {
  NAME_TRANSFER_TYPES,
  type TypedData,
  USERNAME_PROOF_TYPES,
  usernameProofDomain,
} from '../../kernel/protocol/crypto/eip712.ts'
import {
  type RegistryError,
  Rejection,
  type RejectionCode,
} from '../../kernel/protocol/rejection.ts'
import { MAX_UINT32 } from '../../kernel/protocol/sizes.ts'
import type { TransferBody } from './check.ts'
import { acceptedByKind } from './claims.ts'
import { answerLookup } from './gateway.ts'
import { findCurrent, historyReader } from './reads.ts'
import type { Registry } from './registry.ts'
import {
  AvailabilityReply,
  CreatedReply,
  CurrentReply,
  DATA_PATTERN,
  DomainsReply,
  HealthReply,
  LookupReply,
  LookupRequest,
  NothingHeldReply,
  ProposalsReply,
  SENDER_PATTERN,
  SignerReply,
  TimeReply,
  TransferRequest,
  TransfersReply,
  transferJson,
} from './schemas.ts'

type Context = {
  readonly registry: Registry
  readonly readHistory: ReturnType<typeof historyReader>
}

const NAMES = [
  { name: 'Names', description: 'Who holds which name, and every transfer of a name.' },
]
const SERVER = [{ name: 'Server', description: 'The state, the clock and the key of this server.' }]
const ENS = [{ name: 'ENS', description: 'The gateway of ENS resolvers (ERC-3668).' }]

const RULES: readonly RegistryError[] = [
  'UNAUTHORIZED',
  'INVALID_FID_OWNER',
  'USERNAME_RESERVED',
  'INVALID_SIGNATURE',
  'INVALID_USERNAME',
  'TOO_MANY_NAMES',
  'INVALID_TIMESTAMP',
  'USERNAME_TAKEN',
  'USERNAME_NOT_FOUND',
  'THROTTLED',
]

const { MIN_SAFE_INTEGER: MIN, MAX_SAFE_INTEGER: MAX } = Number
const MAX_NAME_BYTES = 256

/** 0 and a missing value are the same: no filter. */
const filter = (max: number, description: string) =>
  optional(described(intParam({ min: MIN, max }), description))

const nameText = textParam({ maxBytes: MAX_NAME_BYTES })
/** Some hubs pad names with zeros to a fixed width. */
const paddedName: Param<string | undefined> = {
  ...nameText,
  absent: () => undefined,
  parse: (text, field) => nameText.parse(text, field).replaceAll('\0', '') || undefined,
}
const exactName: Param<string> = {
  ...nameText,
  parse: (text, field) => {
    if (text.includes('\0')) throw invalid('name must not contain zeros', field)
    return nameText.parse(text, field)
  },
}
const currentFid: Param<number> = {
  description: 'The fid that holds a name.',
  schema: { type: 'integer', minimum: 0, maximum: MAX_UINT32 },
  parse: (text, field) => {
    if (!/^-?\d+$/.test(text)) throw invalid('FID is not a number', field)
    if (Number(text) > MAX_UINT32) throw invalid(`fid must be at most ${MAX_UINT32}`, field)
    return Number(text)
  },
}
const invalid = (text: string, field: string, code: RejectionCode = 'bad_request.invalid_param') =>
  new Rejection(code, text, { field })

const NO_TRANSFERS = jsonText('{"transfers":[]}')

const transfers = route('GET /transfers', {
  callers: 'anyone',
  summary: 'The history of all names, 100 transfers a page',
  description:
    'In the order of ids: go on after the last id of a page until a page is empty; ids are never ' +
    'seen out of order. With `from_ts` in the order of timestamps; such a page holds all ' +
    'transfers of its last second. Filters combine; 0 and empty values do not filter.',
  tags: NAMES,
  cost: { rows: 100 },
  query: {
    from_id: filter(MAX, 'Only transfers with a greater id: the last one that was read.'),
    from_ts: filter(MAX_UINT32, 'Only transfers with a later timestamp, in Unix seconds.'),
    name: alias(paddedName, 'fname'),
    fid: filter(MAX_UINT32, 'Only transfers from or to this fid.'),
  },
  reply: TransfersReply,
  errors: [],
  handler: async ({ readHistory }: Context, { query }) => {
    const rows = await readHistory(query)
    return rows.length === 0 ? NO_TRANSFERS : { transfers: rows.map(transferJson) }
  },
})

/** Clients that expect a list find an empty one. */
function nothingHeld(fid: number | undefined, request: RequestInfo): Answer {
  const text = fid === undefined ? 'No transfer found' : 'Could not resolve current name'
  const body = errorBody('registry', new Rejection('not_found', text), request.id)
  return jsonAnswer({ ...body, transfers: [] }, { status: 404 })
}

const current = route('GET /transfers/current', {
  callers: 'anyone',
  summary: 'The transfer that made a name or a fid what it is',
  description:
    'The transfer that made it so, by `fid` or by `name`; the fid counts when both are given. ' +
    'Without either, the latest transfer of all. 404 when nothing is held: a name may still be ' +
    'reserved, or released too short a time ago to be registered.',
  tags: NAMES,
  query: { fid: optional(currentFid), name: optional(alias(exactName, 'fname')) },
  reply: CurrentReply,
  errors: ['not_found'],
  otherReplies: { 404: NothingHeldReply },
  cost: 'lookup',
  handler: async ({ registry }: Context, { query, request }) => {
    const row = await findCurrent(registry.transfers, query)
    if (!row) return nothingHeld(query.fid, request)
    const transfer = transferJson(row)
    return { transfers: [transfer], transfer }
  },
})

const availability = route('GET /availability', {
  callers: 'anyone',
  summary: 'Whether a name is free, taken, reserved or locked',
  description:
    'With the times at which that changes, in Unix seconds: `availableAt` of a name that was released, ' +
    '`undoUntil` and `changeableAt` of one that is held. Registering a free name locks it for the ' +
    'change interval; `undoSeconds` and `changeSeconds` say how long.',
  tags: NAMES,
  query: { name: described(exactName, 'The name.') },
  reply: AvailabilityReply,
  errors: ['INVALID_USERNAME'],
  cost: 'lookup',
  handler: async ({ registry }: Context, { query: { name } }) => {
    const { change: changeSeconds, undo: undoSeconds } = registry.settings.intervals
    const availability = await registry.availabilityOf(name)
    return { name, ...availability, changeSeconds, undoSeconds }
  },
})

/** A display name has at most 32 bytes in messages of others, and 16 characters of a name fit four times. */
const MAX_CALLED_BYTES = 128

const proposals = route('GET /proposals', {
  callers: 'anyone',
  summary: 'Free names for what somebody is called',
  description:
    'Up to three, the best first: `Café Zoë` is offered `cafe-zoe` where that is free. Also for a name that is taken. ' +
    'Empty for scripts that cannot be written in a to z here, and where every close name is taken: the person chooses one.',
  tags: NAMES,
  query: {
    for: described(textParam({ maxBytes: MAX_CALLED_BYTES }), 'A display name, or a name.'),
  },
  reply: ProposalsReply,
  errors: [],
  cost: { cpu: 'moderate', rows: 12 },
  handler: async ({ registry }: Context, { query }) => ({
    names: await registry.proposalsFor(query.for),
  }),
})

const submit = route('POST /transfers', {
  callers: 'anyone',
  summary: 'Register, move or release a name',
  description:
    'From 0 to a fid registers, from a fid to another one moves, from a fid to 0 releases. A name ' +
    'can change hands once in 28 days; its first registration, and the release of a name that ' +
    'was received from another fid, need not wait. The same request again is answered with the ' +
    'same transfer. Registering reserves the name: the user still has to set it in the profile. ' +
    'It is signed as UserNameProof, or as NameTransfer, which holds for its receiver and at this ' +
    'registry only; /domains shows both, and which this registry accepts for what.',
  tags: NAMES,
  body: uncheckedJson(TransferRequest),
  reply: CreatedReply,
  errors: [...RULES, 'unavailable', 'unavailable.network_failure'],
  limit: 'write',
  cost: { recoveries: 3, writes: 3 },
  handler: async ({ registry }: Context, { body, request }) => {
    const charge = (fid: number) => request.chargeTo(`fid:${fid}`)
    const transfer = await registry.submit(body as TransferBody, charge)
    return jsonAnswer({ transfer: transferJson(transfer) })
  },
})

const copyOf = (types: TypedData['types']) =>
  Object.fromEntries(Object.entries(types).map(([name, fields]) => [name, [...fields]]))

const signer = route('GET /signer', {
  callers: 'anyone',
  summary: 'The address whose signature transfers carry',
  description: 'The server signature of every transfer is made with the key of this address.',
  tags: SERVER,
  reply: SignerReply,
  errors: [],
  cost: 'lookup',
  handler: async ({ registry }: Context) => ({ signer: getAddress(toHex(registry.signer)) }),
})

const domains = route('GET /domains', {
  callers: 'anyone',
  summary: 'The EIP-712 domains and types of what users sign',
  description:
    'UserNameProof is as deployed; it names neither the receiver of a name nor the network. ' +
    'NameTransfer names both: its domain has the chain id of the accounts and the address of ' +
    '/signer. `accepted` says which of them this registry accepts for which change.',
  tags: SERVER,
  reply: DomainsReply,
  errors: [],
  cost: 'lookup',
  handler: ({ registry }: Context) => ({
    structs: {
      UserNameProof: { domain: usernameProofDomain(), types: copyOf(USERNAME_PROOF_TYPES) },
      NameTransfer: { domain: registry.transferDomain, types: copyOf(NAME_TRANSFER_TYPES) },
    },
    accepted: acceptedByKind(registry.settings.claims),
  }),
})

const currentTime = route('GET /current-time', {
  callers: 'anyone',
  summary: 'The time of the server',
  description:
    'For clients whose own clock may be wrong: the timestamp of a claim must be near this time.',
  tags: SERVER,
  reply: TimeReply,
  errors: [],
  cost: 'lookup',
  handler: async ({ registry }: Context) => ({ currentTime: registry.now() }),
})

const HEALTHY = { status: 'ok' } as const

const health = route('GET /_health', {
  callers: 'anyone',
  summary: 'Whether the server answers',
  description: 'For load balancers; it does not look at the database.',
  tags: SERVER,
  reply: HealthReply,
  errors: [],
  cost: 'lookup',
  handler: async () => HEALTHY,
})

const SENDER = new RegExp(SENDER_PATTERN)
const DATA = new RegExp(DATA_PATTERN)

async function lookup(registry: Registry, sender: unknown, data: unknown) {
  if (typeof sender !== 'string' || !SENDER.test(sender)) throw badLookup('sender')
  if (typeof data !== 'string' || !DATA.test(data)) throw badLookup('data')
  return { data: await answerLookup(registry, fromHex(data)!) }
}

const badLookup = (field: string) => invalid('Invalid request format', field)

const hexText = (pattern: string, description: string): Param<string> => ({
  schema: { type: 'string', pattern },
  description,
  parse: (text) => text,
})

const LOOKUP = {
  description:
    'For resolver contracts (ERC-3668): `data` is the `resolve(bytes,bytes)` call that the contract ' +
    'got. The answer is empty for names that are not registered or not of this registry.',
  tags: ENS,
  reply: LookupReply,
  cost: { cpu: 'small', recoveries: 1 } as const,
  errors: ['bad_request.invalid_param', 'not_found'] as const,
}

const lookupByUrl = route('GET /ccip/:sender/:data.json', {
  callers: 'anyone',
  ...LOOKUP,
  summary: 'The signed owner of a name, for an ENS resolver',
  params: {
    sender: hexText(SENDER_PATTERN, 'The address of the resolver contract.'),
    data: hexText(DATA_PATTERN, 'The call that the contract got.'),
  },
  handler: ({ registry }: Context, { params }) => lookup(registry, params.sender, params.data),
})

const lookupByBody = route('POST /ccip', {
  callers: 'anyone',
  ...LOOKUP,
  summary: 'The same with the call in the body',
  body: uncheckedJson(LookupRequest),
  handler: ({ registry }: Context, { body }) => lookup(registry, body.sender, body.data),
})

/** The routes of the name registry. */
export const registryRoutes = (registry: Registry): Route[] => {
  const context = { registry, readHistory: historyReader(registry.transfers) }
  return bind(context, [
    transfers,
    current,
    availability,
    proposals,
    submit,
    signer,
    domains,
    currentTime,
    health,
    lookupByUrl,
    lookupByBody,
  ])
}

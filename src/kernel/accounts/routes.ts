import type { IncomingHttpHeaders } from 'node:http'
import type { Static, TSchema } from 'typebox'
import { VERSION } from '../base/version.ts'
import { isOperator } from '../http/auth.ts'
import { pageOf, paging } from '../http/input/paging.ts'
import { described, fidParam, hexParam, optional, wordParam } from '../http/input/params.ts'
import { pageOfList } from '../http/list-tags.ts'
import { bind, json, type RequestInfo, type Route, route } from '../http/route.ts'
import type { Cost } from '../limits/cost.ts'
import { toBase64, toHex } from '../protocol/codec/bytes.ts'
import type { AccountDomains } from '../protocol/crypto/account-domains.ts'
import {
  ADD_KEY_TYPES,
  CHANGE_RECOVERY_ADDRESS_TYPES,
  gaslessKeyDomain,
  KEY_ADD_TYPES,
  KEY_REMOVE_TYPES,
  REGISTER_TYPES,
  REMOVE_KEY_TYPES,
  SIGNED_KEY_REQUEST_TYPES,
  TRANSFER_AND_CHANGE_RECOVERY_TYPES,
  TRANSFER_TYPES,
} from '../protocol/crypto/eip712.ts'
import { decodeSignedKeyRequestMetadata } from '../protocol/crypto/key-request-metadata.ts'
import { onChainEventJson } from '../protocol/json/json.ts'
import { Rejection, type RejectionCode } from '../protocol/rejection.ts'
import type { OnChainEvent } from '../protocol/wire/onchain_event_pb.js'
import type { Live } from '../storage/live-settings.ts'
import { readOnChainEvent } from './import.ts'
import type { Ledger } from './ledger.ts'
import {
  type AccountCalls,
  type Accounts,
  type CallName,
  type CallResult,
  NONCE_CONTRACTS,
  type OnSigned,
} from './port.ts'
import {
  AccountReply,
  addForOf,
  BODIES,
  CallReply,
  changeRecoveryAddressForOf,
  DomainsReply,
  IdOfReply,
  ImportBody,
  ImportReply,
  InfoReply,
  KeysReply,
  NonceReply,
  PriceReply,
  recoverForOf,
  registerForOf,
  registerOf,
  removeForOf,
  signingNetworkJson,
  transferAndChangeRecoveryForOf,
  transferForOf,
} from './schemas.ts'
import { type LedgerSettings, MAX_KEYS_PER_CALL, type SignupMode } from './settings.ts'
import type { SigningNetwork } from './signatures/signing-network.ts'

/**
 * The routes of the accounts interface: what wallets need to know, and the calls they make. With `operator` only
 * the operator rents.
 */
export const accountRoutes = (ledger: Ledger, operator?: Operator): Route[] => [
  ...accountReadRoutes(ledger),
  domainsRoute(ledger.settings),
  priceRoute(ledger),
  ...callRoutes({ calls: ledger.forUsers, accounts: ledger }),
  rentRoute(ledger.forUsers, operator),
]

/** The routes when accounts are followed from a chain: reads work, and calls must be made on the chain. */
export const followedAccountRoutes = (accounts: Accounts, signing: SigningDomains): Route[] => [
  ...accountReadRoutes(accounts),
  domainsRoute(signing),
  ...[
    ...callRoutes({ calls: callsElsewhere(signing.chainId), accounts }),
    rentRoute(callsElsewhere(signing.chainId)),
  ].map(({ spec, handler }) => ({
    spec: { ...spec, errors: [...spec.errors, 'not_supported' as const] },
    handler,
  })),
]

/** Refuses every call and says where to make it. */
function callsElsewhere(chainId: number): AccountCalls {
  const refuse = (name: string) => async (): Promise<never> => {
    const message = `accounts here are those of chain ${chainId}: call ${name} of the contract there`
    throw new Rejection('not_supported', message)
  }
  return {
    registerFor: refuse('registerFor'),
    transferFor: refuse('transferFor'),
    transferAndChangeRecoveryFor: refuse('transferAndChangeRecoveryFor'),
    changeRecoveryAddressFor: refuse('changeRecoveryAddressFor'),
    recoverFor: refuse('recoverFor'),
    addFor: refuse('addFor'),
    removeFor: refuse('removeFor'),
    rent: refuse('rent'),
    register: refuse('register'),
    nonce: refuse('nonces'),
  }
}

const address = hexParam({ bytes: 20, label: 'address' })
export const READS = [{ name: 'Accounts', description: 'Accounts and their keys, as confirmed.' }]
const SIGNING = [
  { name: 'Signing', description: 'What a wallet needs to know before it signs a call.' },
]
const CALLS = [
  {
    name: 'Calls',
    description: 'The calls of the account contracts, with their signatures and errors.',
  },
]

/** Reads of confirmed state, from the ledger or a chain. */
const accountReadRoutes = (accounts: Accounts): Route[] => [
  route('GET /v1/account', {
    callers: 'anyone',
    summary: 'The account of a fid or of an address',
    description: 'What is confirmed. Ask by `fid` or by `address`.',
    tags: READS,
    query: {
      fid: optional(fidParam),
      address: optional(described(address, 'A custody address.')),
    },
    reply: AccountReply,
    errors: ['not_found'],
    cost: 'lookup',
    handler: async (_, { query }) => accountJson(accounts, await getFid(accounts, query)),
  }),
  route('GET /v1/idOf', {
    callers: 'anyone',
    summary: 'The fid that an address holds',
    description: 'As the contract answers: 0 for an address without one.',
    tags: READS,
    query: { address: described(address, 'A custody address.') },
    reply: IdOfReply,
    errors: [],
    cost: 'lookup',
    handler: async (_, { query }) => ({
      address: toHex(query.address),
      fid: (await accounts.fidOf(query.address)) ?? 0,
    }),
  }),
  route('GET /v1/keys', {
    callers: 'anyone',
    summary: 'The active keys of a fid',
    description: 'With the event that added each key, and the fid of the app that asked for it.',
    tags: READS,
    query: { fid: fidParam, ...paging },
    reply: KeysReply,
    errors: [],
    cost: 'list',
    handler: async (_, { query }) => {
      const { items, next } = await pageOfList(
        ['keys of accounts', query.fid],
        pageOf(query),
        (page) => accounts.activeKeys(query.fid, page),
      )
      return { keys: items.map(keyJson), nextPageToken: next ? toBase64(next) : '' }
    },
  }),
]

async function getFid(
  accounts: Accounts,
  { fid, address }: { fid: number | undefined; address: Uint8Array | undefined },
): Promise<number> {
  if ((fid === undefined) === (address === undefined)) {
    const message = 'ask by fid or by address, and not by both'
    throw new Rejection('bad_request.invalid_param', message, { field: 'fid' })
  }
  const found = fid ?? (await accounts.fidOf(address!))
  if (found === undefined) throw notFound(`${toHex(address!)} holds no fid`)
  return found
}

async function accountJson(accounts: Accounts, fid: number) {
  const [account, units] = await Promise.all([accounts.custodyOf(fid), accounts.storageUnits(fid)])
  if (!account) throw notFound(`fid ${fid} is not registered`)
  const { address, recovery } = account
  return { fid, custodyAddress: toHex(address), recoveryAddress: toHex(recovery), units }
}

function keyJson(event: OnChainEvent) {
  if (event.body.case !== 'signerEventBody') throw new Error('the event of a key is another one')
  const { key, metadata } = event.body.value
  const request = decodeSignedKeyRequestMetadata(metadata)
  const isFid = request && request.requestFid > 0n && request.requestFid < 2n ** 32n
  return {
    key: toHex(key),
    requestFid: isFid ? Number(request.requestFid) : null,
    event: onChainEventJson(event),
  }
}

const contractParam = described(
  wordParam(NONCE_CONTRACTS, { ignoreCase: true }),
  'The contract that counts the signatures.',
)

const nonce = route('GET /v1/nonce', {
  callers: 'anyone',
  summary: 'The nonce of an address for its next signature',
  description:
    'Each contract counts the signatures of an address for itself. Accepted calls count at once.',
  tags: SIGNING,
  query: { contract: contractParam, address },
  reply: NonceReply,
  errors: [],
  cost: 'lookup',
  handler: async ({ calls }: CallContext, { query: { contract, address } }) => ({
    contract,
    address: toHex(address),
    nonce: await calls.nonce(contract, address),
  }),
})

type SigningDomains = Pick<LedgerSettings, 'chainId' | 'domains' | 'keyRequestDomains'>

const domainsRoute = ({ chainId, ...domains }: SigningDomains): Route =>
  route('GET /v1/domains', {
    callers: 'anyone',
    summary: 'The EIP-712 domains and types of all signatures',
    description:
      'A wallet can sign with them without knowing the contracts. `acceptedDomains` lists `domain` and ' +
      'those that are accepted beside it, which clients of the deployed network have built in. KeyAdd and KeyRemove are signed ' +
      'for messages of the hub, so no contract counts their nonces; the request of an app for such a key is signed in their domain.',
    tags: SIGNING,
    reply: DomainsReply,
    errors: [],
    cost: 'lookup',
    handler: () => ({
      chainId,
      structs: { ...structsOf(domains), ...gaslessStructs(domains.domains) },
    }),
  })

/** The network's chain id and contracts, so that a client can check them before it signs. */
export const infoRoute = (
  signingNetwork: SigningNetwork,
  network: string,
  signup: Live<SignupMode> | undefined,
): Route =>
  route('GET /v1/info', {
    callers: 'anyone',
    summary: 'What network this is, and what signatures about accounts are made for',
    description:
      'The chain id and the contract addresses are in the EIP-712 domains of /v1/domains. Those of a ' +
      'ledger name the network and are on no chain: signatures for one network hold on no other.',
    tags: SIGNING,
    reply: InfoReply,
    errors: [],
    cost: 'lookup',
    handler: async () => ({
      version: VERSION,
      network,
      accounts: signingNetworkJson(signingNetwork),
      ...(signup && { signup: await signup() }),
    }),
  })

const priceRoute = (ledger: Ledger): Route =>
  route('GET /v1/price', {
    callers: 'anyone',
    summary: 'The price of calls, and their limits',
    description: 'Calls cost nothing; a signature is enough.',
    tags: SIGNING,
    reply: PriceReply,
    errors: [],
    cost: 'lookup',
    handler: () => {
      const { signupUnits, maxUnitsPerFid, maxKeysPerFid } = ledger.settings
      const confirmationMs = ledger.confirmationMs()
      return { price: '0', signupUnits, maxUnitsPerFid, maxKeysPerFid, confirmationMs }
    },
  })

const STRUCTS: readonly [
  contract: keyof AccountDomains,
  types: Readonly<Record<string, object>>,
][] = [
  ['idGateway', REGISTER_TYPES],
  ['idRegistry', TRANSFER_TYPES],
  ['idRegistry', TRANSFER_AND_CHANGE_RECOVERY_TYPES],
  ['idRegistry', CHANGE_RECOVERY_ADDRESS_TYPES],
  ['keyGateway', ADD_KEY_TYPES],
  ['keyRegistry', REMOVE_KEY_TYPES],
  ['signedKeyRequestValidator', SIGNED_KEY_REQUEST_TYPES],
]

function structsOf({ domains, keyRequestDomains }: Omit<SigningDomains, 'chainId'>) {
  const entries = STRUCTS.map(([contract, types]) => {
    const domain = domains[contract]
    const acceptedDomains = contract === 'signedKeyRequestValidator' ? keyRequestDomains : [domain]
    return [Object.keys(types)[0]!, { contract, domain, acceptedDomains, types }]
  })
  return Object.fromEntries(entries)
}

function gaslessStructs({ keyRegistry }: AccountDomains) {
  const domain = gaslessKeyDomain(keyRegistry)
  const entries = Object.entries({ ...KEY_ADD_TYPES, ...KEY_REMOVE_TYPES })
  return Object.fromEntries(
    entries.map(([name, members]) => [
      name,
      { domain, acceptedDomains: [domain], types: { [name]: members } },
    ]),
  )
}

const SIGNED: RejectionCode[] = ['SignatureExpired', 'InvalidSignature', 'unavailable.overloaded']

const SIGNUP: RejectionCode[] = [
  'signup.closed',
  'signup.invite_required',
  'signup.invalid_invite',
  'signup.approval_required',
]

/** What the calls work with. */
type CallContext = { readonly calls: AccountCalls; readonly accounts: Pick<Accounts, 'fidOf'> }

/** The calls, with the names and errors of the contracts, and the nonces they need. */
const callRoutes = (context: CallContext): Route[] =>
  bind(context, [
    nonce,
    registerFor,
    register,
    addFor,
    removeFor,
    transferFor,
    transferAndChangeRecoveryFor,
    changeRecoveryAddressFor,
    recoverFor,
  ])

type CallSpec = CallTerms & { readonly name: CallName }

type CallTerms = {
  readonly summary: string
  readonly description: string
  readonly errors: RejectionCode[]
  /** Signatures that are checked, but for those of the keys of register, which are in its body. */
  readonly signatures: number
}

const callSpec = ({ signatures, ...spec }: CallTerms) => ({
  ...spec,
  tags: CALLS,
  reply: CallReply,
  limit: 'write',
  cost: { recoveries: signatures, writes: 3 },
})

/** Declares a call that its signers authenticate. */
const signedCall = <S extends TSchema>(
  { body, ...spec }: CallSpec & { body: S; costOfBody?: (body: Static<S>) => Cost },
  make: (calls: AccountCalls, body: Static<S>, onSigned: OnSigned) => Promise<CallResult>,
): Route<CallContext> =>
  route(`POST /v1/${spec.name}`, {
    callers: 'anyone',
    ...callSpec(spec),
    body: json(body),
    handler: async ({ calls, accounts }: CallContext, { body, request }) =>
      callJson(await make(calls, body, chargeSigner(accounts, request))),
  })

const registerFor = signedCall(
  {
    name: 'registerFor',
    summary: 'Register a fid',
    description: 'Signed by the address that registers. The fid is the next free one.',
    errors: [...SIGNED, ...SIGNUP, 'HasId', 'ExceedsCapacity'],
    signatures: 1,
    body: BODIES.registerFor,
  },
  (calls, body, onSigned) => calls.registerFor(registerForOf(body), onSigned),
)

const register = signedCall(
  {
    name: 'register',
    summary: 'Register a fid and add keys to it, in one go',
    description: 'Signed by the address that registers, once for the fid and once for each key.',
    errors: [
      ...SIGNED,
      ...SIGNUP,
      'HasId',
      'ExceedsCapacity',
      'InvalidBatchInput',
      'InvalidState',
      'ValidatorNotFound',
      'InvalidMetadata',
    ],
    signatures: 1,
    body: BODIES.register,
    // For each key its own signature and that of the app that asked for it, which may be in two domains.
    costOfBody: ({ keys }) => ({ recoveries: 3 * Math.min(keys.length, MAX_KEYS_PER_CALL) }),
  },
  (calls, body, onSigned) => calls.register(registerOf(body), onSigned),
)

const addFor = signedCall(
  {
    name: 'addFor',
    summary: 'Add a key to the fid of an address',
    description: 'A key that was removed can never come back for the same fid.',
    errors: [
      ...SIGNED,
      'Unauthorized',
      'InvalidState',
      'ExceedsMaximum',
      'ValidatorNotFound',
      'InvalidMetadata',
    ],
    signatures: 3,
    body: BODIES.addFor,
  },
  (calls, body, onSigned) => calls.addFor(addForOf(body), onSigned),
)

const removeFor = signedCall(
  {
    name: 'removeFor',
    summary: 'Remove a key',
    description: 'Signed by the custody address. The key can never be added to the same fid again.',
    errors: [...SIGNED, 'Unauthorized', 'InvalidState'],
    signatures: 1,
    body: BODIES.removeFor,
  },
  (calls, body, onSigned) => calls.removeFor(removeForOf(body), onSigned),
)

const transferFor = signedCall(
  {
    name: 'transferFor',
    summary: 'Move a fid to another address',
    description: 'The recovery address and the keys stay as they are.',
    errors: [...SIGNED, 'HasNoId', 'HasId'],
    signatures: 2,
    body: BODIES.transferFor,
  },
  (calls, body, onSigned) => calls.transferFor(transferForOf(body), onSigned),
)

const transferAndChangeRecoveryFor = signedCall(
  {
    name: 'transferAndChangeRecoveryFor',
    summary: 'Move a fid and change its recovery address',
    description: 'Both sides sign TransferAndChangeRecovery. The keys stay as they are.',
    errors: [...SIGNED, 'HasNoId', 'HasId'],
    signatures: 2,
    body: BODIES.transferAndChangeRecoveryFor,
  },
  (calls, body, onSigned) =>
    calls.transferAndChangeRecoveryFor(transferAndChangeRecoveryForOf(body), onSigned),
)

const changeRecoveryAddressFor = signedCall(
  {
    name: 'changeRecoveryAddressFor',
    summary: 'Change the recovery address of a fid',
    description: 'Signed by the custody address.',
    errors: [...SIGNED, 'HasNoId'],
    signatures: 1,
    body: BODIES.changeRecoveryAddressFor,
  },
  (calls, body, onSigned) =>
    calls.changeRecoveryAddressFor(changeRecoveryAddressForOf(body), onSigned),
)

const recoverFor = signedCall(
  {
    name: 'recoverFor',
    summary: 'Move a fid with the signature of its recovery address',
    description: 'Both sides sign Transfer, the recovery address in place of the holder.',
    errors: [...SIGNED, 'HasNoId', 'HasId'],
    signatures: 2,
    body: BODIES.recoverFor,
  },
  (calls, body, onSigned) => calls.recoverFor(recoverForOf(body), onSigned),
)

/** Storage for a fid. Nobody signs or pays for it: in production it is the operator's to give. */
const rentRoute = (calls: Pick<AccountCalls, 'rent'>, operator?: Operator): Route => ({
  ...route('POST /v1/rent', {
    callers: operator ? 'operator' : 'anyone',
    ...callSpec({
      summary: 'Give a fid more storage',
      description:
        'Up to the maximum of a fid. On a production server for its operator only, with ' +
        '`authorization: Bearer <ROOKERY_OPS_TOKEN>`; in development for everybody.',
      errors: ['InvalidAmount', 'ExceedsCapacity', 'unavailable.overloaded', 'unauthenticated'],
      signatures: 0,
    }),
    body: json(BODIES.rent),
    handler: async (_, { body }) => callJson(await calls.rent(body)),
  }),
  ...(operator && {
    admit: ({ authorization }: IncomingHttpHeaders) => checkMayRent(operator, authorization),
  }),
})

/** Only holders of the token may rent; without a token nobody may. */
type Operator = { readonly token: string | undefined }

function checkMayRent({ token }: Operator, header: string | undefined): void {
  if (token && isOperator(token, header)) return
  const message =
    'storage here is given by the operator of this server: ' +
    'rent needs authorization: Bearer <ROOKERY_OPS_TOKEN>'
  throw new Rejection('unauthenticated', message)
}

/** A call is charged to the fid of the address that signed it, as its other requests are, or else to the address. */
const chargeSigner =
  (accounts: Pick<Accounts, 'fidOf'>, request: RequestInfo): OnSigned =>
  async (signer) => {
    const fid = await accounts.fidOf(signer)
    request.chargeTo(fid === undefined ? `address:${toHex(signer)}` : `fid:${fid}`)
  }

const callJson = ({ transactionHash, events, ...rest }: CallResult) => ({
  ...rest,
  transactionHash: toHex(transactionHash),
  events: events.map(onChainEventJson),
})

/** For the operations interface: imports events of another network. */
export const operatorAccountRoutes = (ledger: Pick<Ledger, 'importEvents'>): Route[] => [
  route('POST /v1/import', {
    callers: 'operator',
    summary: 'Bring in on-chain events of another network',
    description:
      'They are taken at their word and in any order; what is known already is passed over. All or ' +
      'none of a list is taken. The fids of later registrations continue after the highest one here.',
    tags: [{ name: 'Operator', description: 'What only the operator may do.' }],
    body: ImportBody,
    reply: ImportReply,
    errors: ['bad_request.invalid_param'],
    cost: 'write',
    handler: (_, { body }) =>
      ledger.importEvents(body.events.map((event, i) => readOnChainEvent(event, `events.${i}`))),
  }),
]

const notFound = (message: string) => new Rejection('not_found', message)

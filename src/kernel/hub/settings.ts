import {
  inBothModes,
  type Mode,
  parseChoice,
  parseInteger,
  parseList,
  portSetting,
  type SettingGroup,
  type SettingValues,
  setting,
} from '../base/setting.ts'
import type { JsonOptions } from '../protocol/json/json.ts'
import { MIB } from '../protocol/sizes.ts'
import { DAY_MS } from '../protocol/time.ts'
import { Network } from '../protocol/wire/message_pb.js'

const JSON_FORMS = {
  plain: { networkPrefix: 'SOCIAL_NETWORK', frameBytes: 'text' },
  deployed: { networkPrefix: 'FARCASTER_NETWORK', frameBytes: 'base64' },
} as const

const settings = {
  hubPort: portSetting('ROOKERY_HUB_PORT', 'the hub', 2281),
  rpcAuth: setting({
    variable: 'ROOKERY_RPC_AUTH',
    what: 'user:password pairs, comma separated, that submits ask for; empty leaves them open.',
    defaults: inBothModes(''),
    parse: parseCredentialPairs,
    secret: true,
  }),
  submitLimit: setting({
    variable: 'ROOKERY_SUBMIT_LIMIT',
    what: 'Submits a minute from one address.',
    defaults: inBothModes('20000'),
    parse: (text) => parseInteger(text, 1, 1e9),
  }),
  json: setting({
    variable: 'ROOKERY_JSON',
    what: 'JSON of messages: plain (network names begin with SOCIAL_NETWORK, urls and input texts of frames are text), or deployed (FARCASTER_NETWORK and base64), as clients of the deployed network expect it.',
    defaults: inBothModes('plain'),
    parse: (text): JsonOptions => parseChoice(text, JSON_FORMS),
  }),
  revokeOnKeyRemoval: setting({
    variable: 'ROOKERY_REVOKE_ON_KEY_REMOVAL',
    what: 'true: removing a key deletes the messages it signed; false: they stay.',
    defaults: inBothModes('false'),
    parse: (text) => parseChoice(text, { true: true, false: false }),
  }),
  enforceBlocks: setting({
    variable: 'ROOKERY_ENFORCE_BLOCKS',
    what: 'true: the hub refuses casts of blocked users that reply to, mention or quote the blocker. false: it stores what other hubs store.',
    defaults: inBothModes('true'),
    parse: (text) => parseChoice(text, { true: true, false: false }),
  }),
}

export const HUB_SETTINGS = {
  title: 'Hub',
  settings,
} satisfies SettingGroup

export type HubConfig = SettingValues<typeof settings>

function parseCredentialPairs(text: string): string {
  if (parseList(text).every((pair) => /^[^:]+:.+$/.test(pair))) return text
  throw new Error('must be user:password pairs, comma separated')
}

/** What an operator decides about a hub. */
export type HubSettings = {
  /** Whether another hub has decided about the messages here: nothing is pruned by the limits of this one. */
  readonly isMirror: boolean
  /** Where browsers find this server, if it says so. */
  readonly publicUrl: string | undefined
  /** Why no messages of clients are taken; undefined: they are. */
  readonly refusesSubmits: string | undefined
  /** 1 mainnet, 2 testnet, 3 devnet. */
  readonly network: number
  /** The only network whose messages are taken; undefined: any. */
  readonly acceptedNetwork: number | undefined
  /** Whether storage units end; false on a ledger whose operator has set no end. */
  readonly storageEnds: boolean
  /** How storage grows; undefined where the oldest messages are pruned instead. */
  readonly growth:
    | { readonly signupUnits: number; readonly storageDays: number | undefined }
    | undefined
  readonly nickname: string
  readonly version: string
  readonly json: JsonOptions
  /** Revoke a removed key's messages; else they stay and only new ones are refused. */
  readonly revokeOnKeyRemoval: boolean
  /** Refuse casts of blocked users that reply to, mention or quote who blocks them. */
  readonly enforceBlocks: boolean
  readonly eventRetentionMs: number
}

/** Of HubSettings: a development network takes messages of any network, as the deployed one for developers does. */
export const acceptedNetwork = (mode: Mode, network: number): number | undefined =>
  mode === 'development' && network !== Network.MAINNET ? undefined : network

/** What a server is called that has no name. */
export const DEFAULT_SERVER_NAME = 'Rookery'
/** Beside gRPC subscriptions: a page of a browser has one for each tab. */
export const EVENT_STREAMS_PER_SUBSCRIPTION = 4
/** Memory for the cache of answers, which the embedded store alone has: what the readers of some minutes ask for. */
export const ANSWER_CACHE_BYTES = 32 * MIB
/** Threads that check messages and verify signatures. One does more than one writer of a store can take. */
export const VERIFIER_THREADS = 1
/** Messages waiting to be merged before submitters are told to come back. */
export const MAX_QUEUED_MESSAGES = 20_000
/** The same for their data: some kinds of messages are a hundred times as large as others. */
export const MAX_QUEUED_BYTES = 32 * 1024 * 1024
/** Messages in one transaction. Bounds how long other writers wait for it. */
export const MAX_BATCH_MESSAGES = 512
/** Fewer under way are one batch: with 24, two commits take longer than the wait that they save. */
export const MIN_SPLIT_MESSAGES = 48
/** Messages in a merge thread: those of a running transaction and a full batch after it. */
export const MAX_MERGING_MESSAGES = 2 * MAX_BATCH_MESSAGES
/** Messages that may wait at a time for what a chain or a registry says about them. */
export const MAX_OUTSIDE_QUESTIONS = 1_000
/** What an overloaded submitter is told to wait. */
export const OVERLOAD_RETRY_SECONDS = 1
/** Events older than this are deleted, as in the deployed hubs. */
export const EVENT_RETENTION_MS = 3 * DAY_MS

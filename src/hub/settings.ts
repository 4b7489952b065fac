import type { JsonOptions } from '../protocol/json.ts'

/** What an operator decides about a hub. */
export type HubSettings = {
  /** 1 mainnet, 2 testnet, 3 devnet. */
  readonly network: number
  readonly nickname: string
  readonly operatorFid: number
  readonly version: string
  readonly json: JsonOptions
  /** Accept signatures over the data bytes beside those over the hash. */
  readonly acceptDataSignatures: boolean
  /** Revoke a removed key's messages; else they stay and only new ones are refused. */
  readonly revokeOnKeyRemoval: boolean
  /** Refuse casts of blocked users that answer, mention or quote who blocks them. */
  readonly enforceBlocks: boolean
  /** Worker threads that verify signatures. */
  readonly verifiers: number
  readonly eventRetentionMs: number
}

/** Messages waiting to be merged before submitters are told to come back. */
export const MAX_QUEUED_MESSAGES = 20_000
/** The same for their data: some kinds of messages are a hundred times as large as others. */
export const MAX_QUEUED_BYTES = 32 * 1024 * 1024
/** Messages in one transaction. Bounds how long other writers wait for it. */
export const MAX_BATCH_MESSAGES = 512
/** Messages in the merge thread: those of a running transaction and a full batch after it. */
export const MAX_MERGING_MESSAGES = 2 * MAX_BATCH_MESSAGES
/** Messages that may wait at a time for what a chain or a registry says about them. */
export const MAX_OUTSIDE_QUESTIONS = 1_000
/** What an overloaded submitter is told to wait. */
export const OVERLOAD_RETRY_SECONDS = 1
/** Events older than this are deleted, as in the deployed hubs. */
export const EVENT_RETENTION_MS = 3 * 24 * 3_600_000

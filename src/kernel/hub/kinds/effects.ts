// What the messages of a set do besides taking their slots. Each set declares it once, in a file of this folder that
// kinds.ts lists. Merge, removal and the integrity check ask the declaration and know no kind by name.

import type { Decision } from '../../protocol/merge.ts'
import type { SignedMessage } from '../../protocol/message.ts'
import type { StorageTerms, Units } from '../../protocol/storage-units.ts'
import type { HubEventType } from '../../protocol/wire/hub_event_pb.js'
import type { MessageData } from '../../protocol/wire/message_pb.js'
import type { StoredMessage } from '../../storage/messages/messages.ts'
import type { Reader, Storage, Writer } from '../../storage/storage.ts'
import type { Custody, ModerationStatus } from '../../storage/tables/accounts.ts'
import type { StoredNameProof } from '../../storage/tables/name-proofs.ts'
import type { ToldName, Upstream } from '../../storage/upstream.ts'
import type { Findings } from '../jobs/findings.ts'
import type { Candidate, CheckedRow } from '../submit/candidate.ts'
import type { SenderKeys } from '../submit/sender-keys.ts'
import type { StorageUnits } from '../submit/storage-units.ts'

/** All fields are optional: a set without effects of its own declares nothing. */
export type Effects = {
  /** What decides about the message besides its slot. */
  needs?(candidate: Candidate): Needs
  /** Rows of its own: what a batch reads of them, changes while it is decided, and writes. */
  readonly part?: PartOf<Part>
  /** What has to be asked of others than the store before it is merged; `Candidate.answer` has the answer. */
  asks?(body: MessageData['body']): Question | undefined
  /** Nothing else is decided in the same run, because it deletes rows that others of the run may have added. */
  readonly isAlone?: true
  /** Decided after the claims that its author loses by the batch are revoked. */
  readonly claims?: Claims

  /** Of a message that any key may sign: the key that it is about. */
  aboutKey?(row: Pick<CheckedRow, 'slot'>): Uint8Array
  /** What its author may say, as far as the store knows, in the order in which hubs report it. `validateMessage` asks it, too. */
  readonly rules?: readonly Rule[]
  /**
   * `rules` decide who gets the slot and how many messages an author may keep. The order of messages in a slot, storage units and
   * daily quotas do not count.
   */
  readonly decidesAlone?: true
  /** Of a set that units do not limit: how many messages an author may keep. */
  limit?(units: Units): { readonly count: number; readonly what: string }
  /** Whether storage grows for its messages where it grows at all; true unless declared. */
  readonly growsStorage?: boolean
  /** Whether it takes its slot, where more than the holder decides about that. */
  decide?(row: CheckedRow, holder: StoredMessage | undefined, terms: DecideTerms): Decision
  /** Throws a Rejection for a message that would be stored. No rule of the protocol: `validateMessage` does not run it. */
  checkPolicy?(candidate: Candidate, state: MergeState): void

  /** Changes the part. Called when the message is accepted as the one with this id. */
  merged?(id: number, candidate: Candidate, state: MergeState): Stay
  /** Called for each message that the batch stores, or takes out of its slot. */
  stored?(row: StoredMessage, state: MergeState): void
  unstored?(row: StoredMessage, state: MergeState): void
  /** Called when a run is written whose first message, of this set, was merged. */
  afterMerge?(tx: Writer, candidate: Candidate): Promise<void>
  /** Type of the events of its merge and its removal, if they are not those of other messages. */
  readonly eventType?: HubEventType
  /** Whether the event of a merge contains the message that was replaced; true unless declared. */
  readonly listsReplaced?: boolean

  /** Undoes what is stored beside messages that are deleted in this transaction. */
  removed?(tx: Writer, rows: readonly StoredMessage[], removal: Removed): Promise<void>
  /** It stays when the key that signed it is removed, even where other messages go. */
  readonly outlivesKey?: true
  /** What the author loses with the message, and what messages of other sets may still claim. */
  losses?(row: StoredMessage): Loss[]

  /** Reports where rows beside these stored messages are missing or differ. */
  verify?(storage: Storage, rows: readonly Readable[], found: Findings): Promise<void>
  /** Reports rows without a message. Called once. */
  verifyRows?(storage: Storage, found: Findings): Promise<void>
}

/** Throws a Rejection. */
type Check = (candidate: Candidate, state: MergeState) => void

/**
 * `check` holds for every stored message. `checkNow` holds for one that is sent to this hub: what depends on the time, on accounts
 * of now or on what the author has used up is left to another hub that has stored it.
 */
export type Rule = { readonly check: Check } | { readonly checkNow: Check }

/**
 * What a chain says about a name or the claim of a contract wallet, who made the Ethereum signatures in a message, or what the name
 * registry has published since.
 */
export type Question = 'nameOnChain' | 'contractClaim' | 'keySigners' | 'registry'

/** Keys by the table that is read. A batch reads each table with one statement, for all kinds together. */
export type Needs = {
  /** Messages in slots besides the own one. */
  readonly slots?: readonly Uint8Array[]
  /** Storage of fids besides the author. */
  readonly units?: readonly number[]
  readonly custodies?: readonly number[]
  /** Registry names. */
  readonly names?: readonly Uint8Array[]
  /** ENS names and basenames that another hub says somebody has. */
  readonly toldNames?: readonly Uint8Array[]
}

/** How a merged message is kept: as a row, as a row that is pruned at once, or only in its event. */
export type Stay = 'stored' | 'pruned' | 'event'

export type Removed = {
  readonly reason: 'prune' | 'revoke'
  /** Unix seconds. */
  readonly now: number
}

/** A name or address that a fid no longer holds, and that its profile may still claim. */
export type Loss =
  | { readonly fid: number; readonly name: string }
  | { readonly fid: number; readonly address: Uint8Array }

/** How messages claim what others prove. */
export type Claims = {
  /** The slots of messages that may claim it. */
  slots(loss: Loss): Uint8Array[]
  isLost(row: StoredMessage, losses: readonly Loss[]): boolean
}

/** A stored message whose bytes could be read. */
export type Readable = {
  readonly row: StoredMessage
  readonly message: SignedMessage
  /** How reports name it. */
  readonly name: string
}

/** What decides about a slot besides its holder. */
export type DecideTerms = {
  readonly state: MergeState
  /** The mirrored hub has these links together with a compact state that leaves them out. */
  readonly besideCompactStates?: boolean | undefined
}

/** Rows of a kind in a batch. */
export class Part {
  /** Whether the batch has changed what decides about this message, so that the state is read again before it. */
  isStale(_row: CheckedRow): boolean {
    return false
  }

  async write(_tx: Writer): Promise<void> {}
}

export type PartOf<P extends Part> = {
  /** Called when a batch has messages of the set, and with those alone. */
  read(reader: Reader, candidates: readonly Candidate[], batch: BatchReads): Promise<P>
}

/** What is read at the same time, and by which terms. */
export type BatchReads = {
  readonly terms: MergeTerms
  readonly senders: Promise<Pick<SenderState, 'keys'>>
  readonly storage: Promise<StorageUnits>
}

export type MergeTerms = StorageTerms & {
  readonly nowMs: number
  readonly enforceBlocks?: boolean | undefined
  readonly upstream?: Upstream | undefined
}

/** What the store holds about everything a batch touches; updated while the batch is decided. */
export type MergeState = SenderState & {
  custody(fid: number): Custody | undefined
  readonly storage: StorageUnits
  usage(fid: number, store: number): number
  addUsage(fid: number, store: number, change: number): void
  setHolder(slot: Uint8Array, holder: StoredMessage | undefined): void
  nameProof(name: string): StoredNameProof | undefined
  /** An ENS name or basename that another hub says somebody has. */
  toldName(name: string): ToldName | undefined
  /** Undefined when the batch has no message of the set that declares it. */
  findPart<P extends Part>(of: PartOf<P>): P | undefined
  /** The same where a message of the set is decided. */
  part<P extends Part>(of: PartOf<P>): P
  readonly parts: readonly Part[]
}

/** What the store holds about those who send messages. */
export type SenderState = {
  isRegistered(fid: number): boolean
  /** Whether a transaction has added the key. */
  isActiveKey(fid: number, key: Uint8Array): boolean
  /** Whether a transaction has ever added the key. */
  isKnownKey(fid: number, key: Uint8Array): boolean
  /** Keys that no transaction has added. */
  readonly keys: SenderKeys
  /** What moderation says about new messages of a registered fid. */
  moderation(fid: number): ModerationStatus | undefined
  /** The stored message that occupies a slot. */
  holder(slot: Uint8Array): StoredMessage | undefined
}

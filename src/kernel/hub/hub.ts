import type { Clock } from '../base/clock.ts'
import { hashInWebAssembly } from '../base/fast-hash.ts'
import type { Logger } from '../http/logger.ts'
import type { Job } from '../jobs/job.ts'
import type { TypedDataDomain } from '../protocol/crypto/account-domains.ts'
import type { SignedMessage } from '../protocol/message.ts'
import { Rejection } from '../protocol/rejection.ts'
import { isStorable } from '../protocol/slots.ts'
import { networkTime } from '../protocol/time.ts'
import { MessageType } from '../protocol/wire/message_pb.js'
import {
  type OnChainEvent,
  OnChainEventType,
  SignerEventType,
} from '../protocol/wire/onchain_event_pb.js'
import type { EventLog } from '../storage/messages/event-log.ts'
import type { Storage, Writer } from '../storage/storage.ts'
import { hubJobs } from './jobs/jobs.ts'
import { NameFollower } from './jobs/name-follower.ts'
import { recordReorgedFids, revokeReassignedFids } from './jobs/reorged-fids.ts'
import { asksChain, checkRules } from './kinds/kinds.ts'
import type { HubMetrics } from './metrics.ts'
import type { NameFeed } from './names.ts'
import { revokeMessages } from './removal.ts'
import { type HubSettings, VERIFIER_THREADS } from './settings.ts'
import { Candidate } from './submit/candidate.ts'
import type { Ethereum } from './submit/ethereum.ts'
import {
  checkAll,
  headOf,
  INVALID_SIGNATURE,
  isSigned,
  type Question,
} from './submit/examination.ts'
import { type Examiners, startExaminers } from './submit/examiners.ts'
import { readMergeState } from './submit/merge-state.ts'
import { type Merger, startMerger } from './submit/merger.ts'
import { type MirrorInput, MirrorIntake, type MirrorOutcome } from './submit/mirror-intake.ts'
import type { MirrorTerms } from './submit/mirrored.ts'
import { Pipeline, type SubmitOutcome } from './submit/pipeline.ts'
import { proSubscriptions } from './submit/pro-subscriptions.ts'
import { Questions } from './submit/questions.ts'
import { checkSender, firstBrokenRule } from './submit/sender.ts'
import type { Vouched } from './submit/vouched-key.ts'

type HubOptions = {
  readonly storage: Storage
  readonly clock: Clock
  readonly settings: HubSettings
  /** The file of the thread that merges: it calls `serveMerges`. */
  readonly mergeScript: URL
  readonly names: NameFeed
  readonly ethereum: Ethereum
  /** In events of the ledger, where storage grows. */
  readonly chainId: () => number
  readonly keyDomain: () => TypedDataDomain
  readonly metrics: (hub: { queueDepth(): number }) => HubMetrics
  /** Called when messages or names were merged and committed: there may be new events. */
  readonly onMerged?: () => void
  /** Takes submits in place of this hub. */
  readonly forwarder?: () => Forwards | undefined
  readonly onError: (error: unknown, what: string) => void
  readonly log: Pick<Logger, 'info' | 'warn'>
}

/** The result of validate: valid, or the first check that failed. */
export type Verdict =
  | { readonly valid: true }
  | { readonly valid: false; readonly reason: Rejection }

/** Submits messages to another hub. */
export type Forwards = {
  submit(bodies: readonly Uint8Array[], path?: string): Promise<SubmitOutcome[]>
}

/** Accepts messages and names, and reports the outcome of each. */
export class Hub {
  readonly jobs: readonly Job[]
  readonly #options: HubOptions
  readonly #metrics: HubMetrics
  readonly #examiners: Examiners
  readonly #merger: Merger
  readonly #names: NameFollower
  readonly #pipeline: Pipeline
  readonly #questions: Questions
  readonly #intake: MirrorIntake

  constructor(options: HubOptions) {
    this.#options = options
    const { storage, clock, settings, ethereum, keyDomain, onError } = options
    const { network, storageEnds, enforceBlocks, growth, publicUrl } = settings
    hashInWebAssembly().catch((error) => onError(error, 'hash'))
    this.#metrics = options.metrics({ queueDepth: () => this.queueDepth() })
    this.#examiners = startExaminers(VERIFIER_THREADS, { network: settings.acceptedNetwork })
    const rules = { network, storageEnds, enforceBlocks, growth }
    const onCommit: Parameters<typeof startMerger>[2] = (batch) => {
      if (batch) this.#metrics.batch(batch.messages, batch.seconds)
      options.onMerged?.()
    }
    const hasUpstream = storage.schema?.upstream !== undefined
    const hasScreen = storage.schema?.screensMessages ?? false
    const tables = storage.schema?.tables.map(({ name }) => name) ?? []
    const threads = { storage: storage.settings, hasUpstream, hasScreen, tables }
    const merging = { ...threads, ...rules, publicUrl }
    this.#merger = startMerger(
      options.mergeScript,
      merging,
      onCommit,
      storage.writes,
      options.chainId,
    )
    this.#names = this.#followNames()
    const subscriptions = proSubscriptions(storage, () => clock.now())
    const names = this.#names
    this.#questions = new Questions({
      storage,
      subscriptions,
      ethereum,
      keyDomain,
      names,
      onError,
    })
    this.#intake = new MirrorIntake({
      examiners: this.#examiners,
      merger: this.#merger,
      questions: this.#questions,
      clock,
    })
    this.#pipeline = new Pipeline({
      examiners: this.#examiners,
      merger: this.#merger,
      clock,
      answerQuestion: (candidate, question) => this.#answerQuestion(candidate, question),
      onFailure: (error) => onError(error, 'merge'),
    })
    this.jobs = hubJobs({ storage, clock, settings, names, metrics: this.#metrics })
  }

  /**
   * Stores the serialised messages of one request. Each gets its own outcome, in order: the message and the id of the
   * event that reports it, once both are committed and flushed, or the reason why it was refused. `path`: the mirrors that
   * have forwarded them.
   */
  async submit(bodies: readonly Uint8Array[], path?: string): Promise<SubmitOutcome[]> {
    const { refusesSubmits } = this.#options.settings
    if (refusesSubmits !== undefined) {
      const rejection = new Rejection('not_supported', refusesSubmits)
      return bodies.map(() => ({ rejection, head: undefined }))
    }
    const forwarder = this.#options.forwarder?.()
    const outcomes = forwarder
      ? await forwarder.submit(bodies, path)
      : await Promise.all((await this.#pipeline.submit(bodies)).map((one) => this.#ordered(one)))
    return outcomes.map((outcome) => this.#counted(outcome))
  }

  /** Of several broken rules, the first. */
  async #ordered(outcome: SubmitOutcome): Promise<SubmitOutcome> {
    if ('id' in outcome) return outcome
    const { storage, clock } = this.#options
    const { rejection, head } = outcome
    return { rejection: await firstBrokenRule(storage, clock, rejection, head), head }
  }

  #counted(outcome: SubmitOutcome): SubmitOutcome {
    if ('id' in outcome) {
      this.#metrics.merged(typeName(outcome.message.type), 'merged')
      return outcome
    }
    const { rejection, head } = outcome
    if (head) this.#metrics.merged(typeName(head.type), rejection.code)
    return outcome
  }

  async #answerQuestion(candidate: Candidate, question: Question): Promise<Uint8Array | undefined> {
    await this.#questions.checkPro(candidate.row.fid, question)
    if (!question.asksOutside) return undefined
    const { data } = candidate
    // Questions to a chain take seconds and may cost money.
    if (asksChain(data))
      await checkSender(this.#options.storage, this.#options.clock, candidate.row)
    return this.#questions.askOutside(data)
  }

  /** What a mirrored hub has done, to be done here. */
  mirror(steps: readonly MirrorInput[], terms: MirrorTerms): Promise<MirrorOutcome[]> {
    return this.#intake.take(steps, terms)
  }

  /** Runs every check of submit but those of merging. Stores nothing. `vouched`: keys that another hub vouches for. */
  async validate(message: SignedMessage, vouched?: Vouched): Promise<Verdict> {
    try {
      await this.#checkValid(message, vouched)
      return { valid: true }
    } catch (error) {
      if (!(error instanceof Rejection) || error.code.startsWith('unavailable')) throw error
      const reason = await firstBrokenRule(
        this.#options.storage,
        this.#options.clock,
        error,
        headOf(message),
        vouched,
      )
      return { valid: false, reason }
    }
  }

  async #checkValid(message: SignedMessage, vouched: Vouched | undefined): Promise<void> {
    const { storage, clock, settings } = this.#options
    const { network, storageEnds } = settings
    const { fid } = message
    const now = networkTime(clock.now())
    const question = checkAll(message, { now, network: settings.acceptedNetwork })
    if (question) await this.#questions.checkPro(fid, question)
    if (!isSigned(message)) throw INVALID_SIGNATURE
    await checkSender(storage, clock, headOf(message), vouched)
    const owner = question?.asksOutside ? await this.#questions.askOutside(message.data) : undefined
    if (!isStorable(message.data.type)) return
    const candidate = Candidate.of(message, owner)
    const { schema } = storage
    const terms = { nowMs: clock.now(), network, storageEnds, upstream: schema?.upstream }
    const state = await readMergeState(storage, [candidate], terms)
    checkRules(candidate, state, true)
  }

  /** Merges every name transfer that the feed has now. Throws when the feed cannot be read. */
  catchUpNames(): Promise<void> {
    return this.#names.catchUp()
  }

  /** Looks for a name that is not known here, within a bound: see `NameFollower.catchUpForRead`. */
  askForName(): Promise<void> {
    return this.#names.catchUpForRead()
  }

  /** To be called when the registry in this process has stored a transfer. Returns at once. */
  onNameTransfer(transfers: number): void {
    this.#names.wake(transfers)
  }

  /** To be called in the transaction that merged on-chain events. */
  async onAccountEvents(tx: Writer, log: EventLog, events: readonly OnChainEvent[]): Promise<void> {
    await revokeReassignedFids(tx, log, events)
    if (!this.#options.settings.revokeOnKeyRemoval) return
    for (const removed of events.flatMap(removedKey)) await revokeMessages(tx, log, removed)
  }

  /** To be called in the transaction of a reorg that removed on-chain events. */
  onAccountEventsReorged(tx: Writer, events: readonly OnChainEvent[]): Promise<void> {
    return recordReorgedFids(tx, events)
  }

  /** Messages that were accepted and have no outcome yet. */
  queueDepth(): number {
    return this.#pipeline.depth
  }

  /** Waits until every accepted message is answered, then stops. */
  async close(): Promise<void> {
    await this.#pipeline.close()
    await this.#names.close()
    await Promise.all([this.#examiners.close(), this.#merger.close()])
  }

  #followNames(): NameFollower {
    const { storage, clock, names: feed, log, onError } = this.#options
    return new NameFollower({
      reader: storage,
      merger: this.#merger,
      feed,
      now: () => clock.now(),
      onOutageBegin: (error) => {
        this.#metrics.nameFeedReadable(false)
        log.warn({ err: error }, 'name registry cannot be read; retrying with backoff')
      },
      onOutageEnd: (seconds) => {
        this.#metrics.nameFeedReadable(true)
        log.info({ seconds: Math.round(seconds) }, 'name registry can be read again')
      },
      onError: (error) => onError(error, 'name feed'),
    })
  }
}

const typeName = (type: number): string => MessageType[type] ?? 'unknown'

function removedKey(event: OnChainEvent): { fid: number; signer: Uint8Array }[] {
  const { body } = event
  if (event.type !== OnChainEventType.EVENT_TYPE_SIGNER || body.case !== 'signerEventBody') {
    return []
  }
  if (body.value.eventType !== SignerEventType.REMOVE) return []
  return [{ fid: Number(event.fid), signer: body.value.key }]
}

import { type Clock, unixSeconds } from '../clock.ts'
import { hashInWebAssembly } from '../fast-hash.ts'
import type { Logger } from '../http/logger.ts'
import type { Job } from '../jobs/job.ts'
import { checkMessage, dependsOnPro, isContractClaim } from '../protocol/check.ts'
import { decodeMessage } from '../protocol/decode.ts'
import { messageText } from '../protocol/json.ts'
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
import type { EventLog } from '../storage/event-log.ts'
import type { Storage, Writer } from '../storage/storage.ts'
import { Candidate } from './candidate.ts'
import type { Ethereum } from './ethereum.ts'
import { hubJobs } from './jobs.ts'
import { checkSigner, type Outcome } from './merge.ts'
import { readMergeState } from './merge-state.ts'
import { startMerger } from './merger.ts'
import type { HubMetrics } from './metrics.ts'
import { followNames, NameFeedError } from './name-follower.ts'
import type { NameFeed } from './names.ts'
import { type OneByteText, oneByteText } from './one-byte-text.ts'
import { asksChain, asksOutside, registryNameOf } from './outside.ts'
import { checkOwnership } from './ownership.ts'
import { INVALID_SIGNATURE, Pipeline } from './pipeline.ts'
import { proSubscriptions } from './pro-subscriptions.ts'
import { revokeMessages } from './removal.ts'
import { recordReorgedFids, revokeReassignedFids } from './reorged-fids.ts'
import { type HubSettings, MAX_OUTSIDE_QUESTIONS, OVERLOAD_RETRY_SECONDS } from './settings.ts'
import { startVerifier } from './signature-verifier.ts'

type HubOptions = {
  readonly storage: Storage
  readonly clock: Clock
  readonly settings: HubSettings
  readonly names: NameFeed
  readonly ethereum: Ethereum
  readonly metrics: (hub: { queueDepth(): number }) => HubMetrics
  /** Called when messages or names were merged and committed: there may be new events. */
  readonly onMerged?: () => void
  readonly onError: (error: unknown, what: string) => void
  readonly log: Pick<Logger, 'info' | 'warn'>
}

/** The result of validate: valid, or the first check that failed. */
export type Verdict =
  | { readonly valid: true }
  | { readonly valid: false; readonly reason: Rejection }

/** A stored message, or the refusal and, when it could be decoded, the message. */
export type Submitted =
  | { readonly id: number; readonly text: OneByteText }
  | { readonly refusal: Rejection; readonly message: SignedMessage | undefined }

export type Hub = {
  /**
   * Stores a message; resolves to the id of the event that reports it once both are committed and flushed,
   * throws the Rejection otherwise.
   */
  submit(message: SignedMessage): Promise<number>
  /** The same for several; each gets its own answer, in order. */
  submitAll(messages: readonly SignedMessage[]): Promise<(number | Rejection)[]>
  /**
   * The same for a serialised message, with its JSON. Most are decoded and checked in a thread. One that `joinsLast` is of
   * the same request as the one before it.
   */
  submitBody(body: Uint8Array, joinsLast?: boolean): Promise<Submitted>
  /** Runs every check of submit but those of merging. Stores nothing. */
  validate(message: SignedMessage): Promise<Verdict>
  /** Merges every name transfer that the feed has now. Throws when the feed cannot be read. */
  catchUpNames(): Promise<void>
  /** To be called when the registry in this process has stored a transfer. Returns at once. */
  onNameTransfer(transfers: number): void
  /** To be called in the transaction that merged on-chain events. */
  onAccountEvents(tx: Writer, log: EventLog, events: readonly OnChainEvent[]): Promise<void>
  /** To be called in the transaction of a reorg that removed on-chain events. */
  onAccountEventsReorged(tx: Writer, events: readonly OnChainEvent[]): Promise<void>
  readonly jobs: readonly Job[]
  readonly queueDepth: () => number
  /** Waits until every accepted message is answered, then stops. */
  close(): Promise<void>
}

export function createHub(options: HubOptions): Hub {
  const { storage, clock, settings, ethereum } = options
  hashInWebAssembly().catch((error) => options.onError(error, 'hash'))
  const metrics = options.metrics({ queueDepth: () => pipeline.depth })
  const { network, enforceBlocks, acceptDataSignatures, json } = settings
  const verifier = startVerifier(settings.verifiers, { network, acceptDataSignatures, json })
  const merger = startMerger(
    { storage: storage.settings, network, enforceBlocks },
    (batch) => {
      if (batch) metrics.batch(batch.messages, batch.seconds)
      options.onMerged?.()
    },
    storage.writes,
  )
  const names = followNames({
    reader: storage,
    merger,
    feed: options.names,
    now: () => clock.now(),
    onOutageBegin(error) {
      metrics.nameFeedReadable(false)
      options.log.warn({ err: error }, 'name registry cannot be read; retrying with backoff')
    },
    onOutageEnd(seconds) {
      metrics.nameFeedReadable(true)
      options.log.info({ seconds: Math.round(seconds) }, 'name registry can be read again')
    },
    onError: (error) => options.onError(error, 'name feed'),
  })
  const pipeline: Pipeline = new Pipeline({
    verifier,
    merger,
    clock,
    onFailure: (error) => options.onError(error, 'merge'),
  })

  const subscriptions = proSubscriptions(storage, () => clock.now())
  const check = (message: SignedMessage, pro: boolean) =>
    checkMessage(message, { now: networkTime(clock.now()), network: settings.network, pro })

  /** The rules of messages that only pro subscribers may send. Asks the store when all others hold. */
  async function checkProMessage(message: SignedMessage): Promise<void> {
    check(message, true)
    if (!(await subscriptions.isActive(message.fid))) check(message, false)
  }

  const now = () => ({
    unixSeconds: unixSeconds(clock),
    network: settings.network,
  })

  /** Runs all checks that precede the queue, and asks the chain or registry what they need to know. */
  async function prepare(message: SignedMessage): Promise<Candidate> {
    if (dependsOnPro(message)) await checkProMessage(message)
    else check(message, false)
    if (!isStorable(message.data.type)) {
      throw new Rejection('bad_request.validation_failure', 'invalid message type', {
        field: 'data.type',
      })
    }
    if (asksChain(message)) await checkSender(message)
    return Candidate.of(message, await askOutside(message))
  }

  /**
   * Throws unless an active key of the fid signed the message. This comes before questions to a chain,
   * which take seconds and may cost money.
   */
  async function checkSender(message: SignedMessage): Promise<void> {
    await checkSignature(message)
    const outcome = await inOrder(message, VALID)
    if (outcome !== VALID) throw outcome
  }

  async function checkSignature(message: SignedMessage): Promise<void> {
    const [valid] = await verifier.verify([{ ...message, data: message.dataBytes }])
    if (!valid) throw INVALID_SIGNATURE
  }

  let asking = 0

  /** Asks the chain or the registry what only they know. At most MAX_OUTSIDE_QUESTIONS wait at a time. */
  async function askOutside(message: SignedMessage): Promise<Uint8Array | undefined> {
    if (!asksOutside(message)) return undefined
    if (asking >= MAX_OUTSIDE_QUESTIONS) {
      const text = 'too many messages wait for a chain or a registry'
      const hints = { retryAfterSeconds: OVERLOAD_RETRY_SECONDS }
      throw new Rejection('unavailable.overloaded', text, hints)
    }
    asking++
    try {
      return await answerFromOutside(message)
    } finally {
      asking--
    }
  }

  async function answerFromOutside(message: SignedMessage): Promise<Uint8Array | undefined> {
    const { body } = message.data
    if (body.case === 'usernameProofBody') {
      const name = Buffer.from(body.value.name).toString()
      return ethereum.resolveName(name)
    }
    if (body.case === 'verificationAddAddressBody' && isContractClaim(message)) {
      const { network } = settings
      if (!(await ethereum.verifyContractClaim(message.fid, network, body.value))) {
        throw new Rejection('bad_request.validation_failure', 'invalid claimSignature', {
          field: 'verificationAddAddressBody.claimSignature',
        })
      }
    }
    await learnName(message)
    return undefined
  }

  /** A name may have just been registered, so the name feed is read before a username is refused. */
  async function learnName(message: SignedMessage): Promise<void> {
    const [name] = registryNameOf(message.data.body)
    if (!name) return
    const proof = await storage.nameProofs.byName(name)
    if (proof?.fid === message.fid) return
    await names.catchUp().catch((error) => {
      if (!(error instanceof NameFeedError)) options.onError(error, 'name feed')
      const text = 'the name registry cannot be asked now; try again'
      throw new Rejection('unavailable.network_failure', text)
    })
  }

  /**
   * Of several broken rules the first in the order of deployed hubs is reported: the network, then the fid
   * and its key, then the content.
   */
  async function inOrder(message: SignedMessage, refusal: Rejection): Promise<Rejection> {
    if (message.data.network !== settings.network) return refusal
    if (!(message.fid >= 1 && message.fid < 2 ** 32)) return refusal
    try {
      const key = message.signer
      const [signerStatus] = await storage.accounts.signerStatuses([{ fid: message.fid, key }])
      checkSigner(
        {
          isRegistered: () => signerStatus?.registered === true,
          isActiveKey: () => signerStatus?.active === true,
          moderation: () => signerStatus?.moderation,
        },
        { fid: message.fid, signer: message.signer, timestamp: message.data.timestamp },
      )
      return refusal
    } catch (error) {
      if (error instanceof Rejection) return error
      throw error
    }
  }

  const isAboutContent = (rejection: Rejection) =>
    rejection.code === 'bad_request.validation_failure' ||
    rejection.code === 'bad_request.invalid_param'

  async function submitOne(message: SignedMessage): Promise<number | Rejection> {
    let outcome: Outcome
    try {
      // Most messages need no outside answer and are queued in the same turn of the event loop.
      outcome = await pipeline.submit(await prepare(message))
    } catch (error) {
      if (!(error instanceof Rejection)) throw error
      outcome = error
    }
    return reported(message, outcome)
  }

  /** The outcome as it is answered; counted. */
  async function reported(message: SignedMessage, merged: Outcome): Promise<number | Rejection> {
    let outcome = merged
    if (outcome instanceof Rejection && isAboutContent(outcome)) {
      outcome = await inOrder(message, outcome)
    }
    metrics.merged(
      typeName(message.data.type),
      outcome instanceof Rejection ? outcome.code : 'merged',
    )
    return outcome instanceof Rejection ? outcome : outcome.id
  }

  async function submitBody(body: Uint8Array, joinsLast = false): Promise<Submitted> {
    const outcome = await pipeline.submitBody(body, joinsLast)
    if (outcome !== undefined && !(outcome instanceof Rejection)) {
      metrics.merged(typeName(outcome.type), 'merged')
      return outcome
    }
    let message: SignedMessage
    try {
      message = decodeMessage(body)
    } catch (error) {
      if (!(error instanceof Rejection)) throw error
      return { refusal: error, message: undefined }
    }
    const answered = await (outcome ? reported(message, outcome) : submitOne(message))
    if (answered instanceof Rejection) return { refusal: answered, message }
    return { id: answered, text: oneByteText(messageText(message, json)) }
  }

  async function validated(message: SignedMessage): Promise<void> {
    if (dependsOnPro(message)) await checkProMessage(message)
    else check(message, false)
    await checkSender(message)
    const resolvedOwner = await askOutside(message)
    if (!isStorable(message.data.type)) return
    const candidate = Candidate.of(message, resolvedOwner)
    checkOwnership(await readMergeState(storage, [candidate], now()), candidate)
  }

  return {
    async submit(message) {
      const outcome = await submitOne(message)
      if (outcome instanceof Rejection) throw outcome
      return outcome
    },
    submitAll: (messages) => Promise.all(messages.map(submitOne)),
    submitBody,
    async validate(message) {
      try {
        await validated(message)
        return { valid: true }
      } catch (error) {
        if (!(error instanceof Rejection)) throw error
        if (error.code.startsWith('unavailable')) throw error
        return { valid: false, reason: await inOrder(message, error) }
      }
    },
    catchUpNames: () => names.catchUp(),
    onNameTransfer: names.wake,
    async onAccountEvents(tx, log, events) {
      await revokeReassignedFids(tx, log, events)
      if (!settings.revokeOnKeyRemoval) return
      for (const removed of events.flatMap(removedKey)) await revokeMessages(tx, log, removed)
    },
    onAccountEventsReorged: recordReorgedFids,
    jobs: hubJobs({ storage, clock, settings, names, metrics }),
    queueDepth: () => pipeline.depth,
    async close() {
      await pipeline.close()
      await names.close()
      await Promise.all([verifier.close(), merger.close()])
    },
  }
}

const typeName = (type: number): string => MessageType[type] ?? 'unknown'

/** Passed to `inOrder` when no rule is broken yet. */
const VALID = new Rejection('internal_error', 'valid')

function removedKey(event: OnChainEvent): { fid: number; signer: Uint8Array }[] {
  const { body } = event
  if (event.type !== OnChainEventType.EVENT_TYPE_SIGNER || body.case !== 'signerEventBody') {
    return []
  }
  if (body.value.eventType !== SignerEventType.REMOVE) return []
  return [{ fid: Number(event.fid), signer: body.value.key }]
}

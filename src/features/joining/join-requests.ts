import { createHash, randomBytes } from 'node:crypto'
import { base58 } from '@scure/base'
import type { SignupMode } from '../../kernel/accounts/settings.ts'
import type { VerifySignature } from '../../kernel/accounts/signatures/signature.ts'
import type { Approvals } from '../../kernel/accounts/signup.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { readClient } from '../../kernel/limits/client.ts'
import { refusalOf } from '../../kernel/limits/exceeded.ts'
import { Quota } from '../../kernel/limits/quota.ts'
import { fromHex, toUtf8 } from '../../kernel/protocol/codec/bytes.ts'
import type { TypedDataDomain } from '../../kernel/protocol/crypto/account-domains.ts'
import { accountDataTypedData, typedDataDigest } from '../../kernel/protocol/crypto/eip712.ts'
import { hashOf } from '../../kernel/protocol/crypto/hash.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { DAY_MS, DAY_SECONDS, HOUR_MS, SECOND_MS } from '../../kernel/protocol/time.ts'
import type { OnChainEvent } from '../../kernel/protocol/wire/onchain_event_pb.js'
import type { Live } from '../../kernel/storage/live-settings.ts'
import type { Reader, Storage, Writer } from '../../kernel/storage/storage.ts'
import { moderationLogRows } from '../moderation-records/port.ts'
import { type JoinRequest, joinRequestRows, MAX_WAITING } from './tables/join-requests.ts'

// People who ask to join, where the operator lets each in. Before that there is a key, which the person has made, and a row
// here; no account, no name and no storage. An approval lets the address register once, as an invite would; with it the
// row goes. Rows that are decided lose what the person wrote at once, and go after some days.

const QUOTA = 'requests to join'
/** Requests in a day. A family or a club asks from one network. */
const MAX_ASKED = { byNetwork: 20, byProvider: 50 } as const
/** Requests of one provider that wait: the others have room. */
const MAX_WAITING_BY_PROVIDER = 200
/** A request that nobody has decided is forgotten. */
const UNDECIDED_DAYS = 30
/** So long the log of moderation says what somebody was called who asked, and what they were told. */
const LOGGED_DAYS = 30
/** So long who was let in may take to come back, and who was not may read why. */
const DECIDED_DAYS = 14
/** How far ahead the deadline of a request may be. */
const MAX_DEADLINE_SECONDS = DAY_SECONDS
/** 128 bits cannot be guessed. */
const TICKET_BYTES = 16
/** What who asks where nobody has to is told. */
const INSTEAD: Readonly<Record<Exclude<SignupMode, 'approval'>, string>> = {
  open: 'nobody has to ask here: register at once',
  invite: 'registering here needs an invite: ask the operator of this server for a code',
  closed: 'this server takes no new accounts',
}
/** A group of people who join over one network, and are more than this, gets an invite with many uses. */
const TOO_MANY = 'too many requests to join from where you are; with an invite nobody has to ask'
/** Requests are of no account yet. */
const NO_FID = 0

export type JoinTerms = {
  readonly storage: Storage
  readonly verify: VerifySignature
  readonly domain: TypedDataDomain
  /** mainnet, testnet or devnet. */
  readonly network: string
  readonly signup: Live<SignupMode>
  /** Unix seconds. */
  readonly now: () => number
}

/** What who wants to join sends. */
export type Asked = {
  readonly address: Uint8Array
  readonly called: string
  readonly reason: string
  readonly deadline: number
  readonly signature: string
}

type Decision = {
  readonly actor: string
  /** What the person reads. */
  readonly answer: string
}

export const ticketHash = (ticket: string): Uint8Array => hashOf(toUtf8(ticket))

/** What the address signs: nobody asks in the name of others. */
export const actionOf = ({ called, reason }: Pick<Asked, 'called' | 'reason'>): string =>
  `ask to join 0x${createHash('sha256')
    .update(JSON.stringify([called, reason]))
    .digest('hex')}`

/** Stores a request that comes from this address of the network, in place of an earlier one of the same key. */
export async function askToJoin(
  terms: JoinTerms,
  asked: Asked,
  ip: string,
): Promise<{ readonly ticket: string; readonly request: JoinRequest }> {
  const { storage, now, signup } = terms
  const mode = await signup()
  if (mode !== 'approval') throw new Rejection('not_supported', INSTEAD[mode])
  await checkSignature(terms, asked)
  const ticket = base58.encode(randomBytes(TICKET_BYTES))
  const { address, called, reason } = asked
  const { provider, network } = readClient(ip)
  const at = { asked_at: now(), decided_at: null }
  const words = { called, reason, answer: '' }
  const request: JoinRequest = {
    ...{ address, ticket_hash: ticketHash(ticket), provider, state: 'waiting' },
    ...words,
    ...at,
  }
  await storage.write('hub', async (tx) => {
    await checkNew(tx, address)
    const before = await tx.of(joinRequestRows).find(address)
    if (before && before.state !== 'waiting') {
      const text = 'this key has an answer already: read it with its ticket'
      throw new Rejection('bad_request.conflict', text, { field: 'address' })
    }
    await count(tx, { network, provider }, now() * SECOND_MS)
    if (!before) await makeRoom(tx, provider)
    await tx.of(joinRequestRows).put(request)
  })
  return { ticket, request }
}

async function checkSignature(
  { verify, domain, network, now }: JoinTerms,
  { address, deadline, signature, ...words }: Asked,
): Promise<void> {
  if (deadline < now()) {
    throw new Rejection('SignatureExpired', 'the deadline has passed', { field: 'deadline' })
  }
  if (deadline > now() + MAX_DEADLINE_SECONDS) {
    const text = `the deadline must be at most ${MAX_DEADLINE_SECONDS} seconds ahead`
    throw new Rejection('bad_request.validation_failure', text, { field: 'deadline' })
  }
  const action = actionOf(words)
  const data = accountDataTypedData({ action, fid: NO_FID, network, deadline }, domain)
  if (await verify(address, typedDataDigest(data), fromHex(signature)!)) return
  const text = `not the signature by the address of the request "${action}"`
  throw new Rejection('InvalidSignature', text, { field: 'signature' })
}

async function count(
  { quotas }: Writer,
  { network, provider }: { readonly network: string; readonly provider: string },
  nowMs: number,
): Promise<void> {
  const bounds = [
    [`network/${network}`, MAX_ASKED.byNetwork],
    [`provider/${provider}`, MAX_ASKED.byProvider],
  ] as const
  const subjects = bounds.map(([subject]) => subject)
  const quota = new Quota(QUOTA, await quotas.used(QUOTA, subjects))
  for (const [subject, max] of bounds) {
    const exceeded = quota.tryConsume(subject, { windowMs: DAY_MS, max }, nowMs)
    if (exceeded) throw refusalOf(exceeded, TOO_MANY)
  }
  await quotas.put(quota.changed)
}

/** Makes room, where all is taken, at the cost of the provider that has taken most: a few do not shut out the others. */
async function makeRoom({ of }: Writer, provider: string): Promise<void> {
  const requests = of(joinRequestRows)
  const own = await requests.waitingOfProvider(provider)
  if (own < MAX_WAITING_BY_PROVIDER) {
    if ((await requests.waitingCount()) < MAX_WAITING) return
    const most = await requests.mostWaiting()
    if (most && most.n > own) return void (await requests.removeNewestOf(most.provider))
  }
  const text = 'too many people wait for an answer: try again in some days, or ask for an invite'
  throw new Rejection('unavailable.overloaded', text)
}

async function checkNew({ accounts }: Writer, address: Uint8Array): Promise<void> {
  if ((await accounts.byAddresses([address])).length === 0) return
  throw new Rejection('HasId', 'the address has an account already', { field: 'address' })
}

/** The request of a ticket. Throws a Rejection when it is gone. */
export async function findRequest(
  { of }: Pick<Reader, 'of'>,
  ticket: string,
): Promise<JoinRequest> {
  const found = await of(joinRequestRows).byTicket(ticketHash(ticket))
  if (found) return found
  throw new Rejection(
    'not_found',
    'there is no such request; it may have been forgotten: ask again',
  )
}

/** Takes a request back, whatever has become of it. */
export async function withdraw({ storage }: JoinTerms, ticket: string): Promise<void> {
  await storage.write('hub', async (tx) => {
    const { address } = await findRequest(tx, ticket)
    await tx.of(joinRequestRows).remove([address])
  })
}

/** Lets a person in, or not. What the person has written is forgotten at once. */
export async function decide(
  { storage, now }: JoinTerms,
  { address, askedAt }: { readonly address: Uint8Array; readonly askedAt: number },
  state: 'approved' | 'declined',
  { actor, answer }: Decision,
): Promise<JoinRequest> {
  return storage.write('hub', async (tx) => {
    const found = await tx.of(joinRequestRows).find(address)
    if (!found) throw new Rejection('not_found', 'there is no such request')
    await checkNew(tx, address)
    if (found.state !== 'waiting' || found.asked_at !== askedAt) {
      const text = 'somebody else has decided, or the person has asked anew: read the list again'
      throw new Rejection('changed_meanwhile', text, { field: 'askedAt' })
    }
    const words = { called: '', reason: '', answer }
    const decided: JoinRequest = { ...found, ...words, state, decided_at: now() }
    await tx.of(joinRequestRows).put(decided)
    const action = state === 'approved' ? 'approve-join' : 'decline-join'
    // For a time the log says who it was: what else they wrote is forgotten.
    const entry = { at: now(), actor, fid: null, cast_hash: null, name: found.called || null }
    await tx.of(moderationLogRows).add({ ...entry, action, reason: answer || '-' })
    return decided
  })
}

/** What the ledger asks: who was let in registers once. */
export const approvals: Approvals = {
  has: async ({ of }, address) => (await of(joinRequestRows).find(address))?.state === 'approved',
  use: (tx, address) => tx.of(joinRequestRows).remove([address]),
}

/** Who has an account waits no more, however it was made. */
export async function endRequests(tx: Writer, events: readonly OnChainEvent[]): Promise<void> {
  const held = events.flatMap(({ body }) =>
    body.case === 'idRegisterEventBody' && body.value.to.length > 0 ? [body.value.to] : [],
  )
  if (held.length > 0) await tx.of(joinRequestRows).remove(held)
}

/** Forgets requests that have become old, and names in the log. */
export const forgetJob = ({ storage, now }: Pick<JoinTerms, 'storage' | 'now'>): Job => ({
  name: 'requests to join',
  scope: 'leader',
  everyMs: HOUR_MS,
  run: () =>
    storage.write('hub', async (tx) => {
      const before = (days: number) => now() - days * DAY_SECONDS
      await tx.of(joinRequestRows).collect(before(UNDECIDED_DAYS), before(DECIDED_DAYS))
      await tx.of(moderationLogRows).forgetJoins(before(LOGGED_DAYS))
    }),
})

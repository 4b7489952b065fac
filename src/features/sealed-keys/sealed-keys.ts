import { hash, timingSafeEqual } from 'node:crypto'
import { checkOwner, type OwnerTerms } from '../../kernel/accounts/owner-request.ts'
import type { Clock } from '../../kernel/base/clock.ts'
import { Quota } from '../../kernel/limits/quota.ts'
import { equalBytes, fromHex, toHex } from '../../kernel/protocol/codec/bytes.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { DAY_MS } from '../../kernel/protocol/time.ts'
import type { Storage, Writer } from '../../kernel/storage/storage.ts'
import type { Pushes } from '../push/port.ts'
import { endOfNonce, makeNonce, type SigningKeys, signInRows } from '../sign-in/port.ts'
import { type Assertion, challengeOf, isSignedBy, readPublicKey } from './assertion.ts'
import { checkMayTry, countTry } from './guesses.ts'
import type { StoredSealedKey } from './tables/sealed-keys.ts'
import { sealedKeyRows } from './tables/sealed-keys.ts'
import { type WayChange, wayNotice } from './way-notice.ts'

// Copies of custody keys that browsers have made and sealed. The server cannot open them; it gives one only to who shows
// that they know the password, or have the passkey, so that nobody can collect copies and try passwords on them offline.

export type SealedKeyTerms = {
  readonly storage: Storage
  readonly clock: Clock
  readonly keys: SigningKeys
  readonly owner: OwnerTerms
  /** Undefined where nothing is pushed to devices. */
  readonly pushes: () => Pushes | undefined
  /** With which links in mails begin; undefined where none are sent. */
  readonly publicUrl: string | undefined
}

/** A copy as its browser sends it; bytes in 0x hex. */
export type NewCopy = {
  readonly kind: StoredSealedKey['kind']
  /** The id of the credential of a passkey in base64url. */
  readonly credential?: string | undefined
  /** The relying party of a passkey. */
  readonly site?: string | undefined
  readonly salt: string
  /** What a password derives to, or the public key of a passkey in SPKI. */
  readonly proof: string
  readonly sealed: string
}

type Signed = { readonly fid: number; readonly deadline: number; readonly signature: string }

/** Of one account: a password, and passkeys of several devices. */
export const MAX_COPIES = 10
/** Requests that change the copies of one account and whose deadlines are ahead: a day at most. */
const MAX_REQUESTS = 100
/** Notices of changes of passwords, and as many of passkeys, that one account gets in a day. */
export const MAX_TOLD_PER_DAY = 10
const QUOTA = 'notices of sealed keys'
const RETRY_SECONDS = 3_600
const PASSWORD_PROOF_BYTES = 32
/** What signs challenges differs from what signs nonces of Quick Auth, so that neither passes for the other. */
const CHALLENGE = 'challenge of a passkey'

/** What an owner signs to have a copy kept: it names the copy, so that nobody can put another in its place. */
export const keepAction = ({ kind, credential = '', site = '', salt, proof, sealed }: NewCopy) =>
  `keep sealed key 0x${hash('sha256', [kind, credential, site, salt, proof, sealed].join('|'))}`
export const LIST_ACTION = 'list sealed keys'
export const removeAction = (id: string) => `remove sealed key ${id}`

const passwordId = (fid: number) => `password:${fid}`
const hashOf = (proof: Uint8Array): Uint8Array => Uint8Array.from(hash('sha256', proof, 'buffer'))

/** Keeps a copy in place of the one with the same password or passkey. */
export async function keepCopy(terms: SealedKeyTerms, copy: NewCopy, signed: Signed) {
  const { storage, clock, owner } = terms
  const { fid } = signed
  checkCopy(copy)
  const action = keepAction(copy)
  const custody = await checkOwner({ ...signed, action }, signed.signature, owner)
  const proof = fromHex(copy.proof)!
  const row: StoredSealedKey = {
    id: copy.kind === 'password' ? passwordId(fid) : copy.credential!,
    fid,
    custody,
    kind: copy.kind,
    site: copy.site ?? '',
    salt: fromHex(copy.salt)!,
    proof: copy.kind === 'password' ? hashOf(proof) : proof,
    sealed: fromHex(copy.sealed)!,
    created_at: clock.now(),
    used_at: null,
  }
  return storage.write(['all/sign-ins', `fid/${fid}`], async (tx) => {
    await tx.of(sealedKeyRows).removeOthers(fid, custody)
    const [before, all] = [
      await tx.of(sealedKeyRows).byId(row.id),
      await tx.of(sealedKeyRows).ofFid(fid, MAX_COPIES),
    ]
    if (before && before.fid !== fid) {
      throw invalid('copy/credential', 'belongs to another account')
    }
    if (!(await countRequest(tx, action, signed, custody))) {
      if (before && isSameCopy(before, row)) return before
      throw overtaken()
    }
    if (!before && all.length >= MAX_COPIES) {
      const text = `an account has at most ${MAX_COPIES} sealed keys: remove one first`
      throw new Rejection('bad_request.conflict', text)
    }
    await tx.of(sealedKeyRows).put(row)
    await tell(tx, terms, row, before ? 'changed' : 'added')
    return row
  })
}

/**
 * Counts a signed request, and returns whether it is the first time. Who has seen it could send it again until its deadline: to
 * bring back a password that was changed, or a copy that was removed. Throws a Rejection when a later one has counted.
 */
async function countRequest(
  { of }: Writer,
  action: string,
  { fid, deadline }: Signed,
  custody: Uint8Array,
): Promise<boolean> {
  const digest = Uint8Array.from(
    hash('sha256', `${action} ${deadline} ${toHex(custody)}`, 'buffer'),
  )
  const counted = await of(sealedKeyRows).requestsOf(fid, custody, MAX_REQUESTS)
  if (counted.some((one) => equalBytes(one.digest, digest))) return false
  if (counted[0] && deadline < counted[0].deadline) throw overtaken()
  if (counted.length >= MAX_REQUESTS) {
    const text = `at most ${MAX_REQUESTS} requests about sealed keys of an account in a day`
    throw new Rejection('rate_limited', text, { retryAfterSeconds: RETRY_SECONDS })
  }
  await of(sealedKeyRows).addRequest({ fid, digest, custody, deadline })
  return true
}

const isSameCopy = (one: StoredSealedKey, other: StoredSealedKey): boolean =>
  equalBytes(one.salt, other.salt) &&
  equalBytes(one.proof, other.proof) &&
  equalBytes(one.sealed, other.sealed)

const overtaken = () =>
  new Rejection(
    'changed_meanwhile',
    'this request was used before, or a later one has changed the sealed keys since: sign again with a later deadline',
    { field: 'deadline' },
  )

function checkCopy({ kind, credential, site, proof }: NewCopy): void {
  if (kind === 'passkey') {
    if (!credential) throw invalid('copy/credential', 'is needed for a passkey')
    if (!site) throw invalid('copy/site', 'is needed for a passkey')
    if (!readPublicKey(fromHex(proof)!)) {
      throw invalid('copy/proof', 'must be a public key of P-256, RSA or Ed25519 in SPKI')
    }
  } else if (fromHex(proof)!.length !== PASSWORD_PROOF_BYTES) {
    throw invalid('copy/proof', `must be ${PASSWORD_PROOF_BYTES} bytes for a password`)
  }
}

/** The copies of an account, for its owner. */
export async function listCopies({ storage, owner }: SealedKeyTerms, signed: Signed) {
  const custody = await checkOwner({ ...signed, action: LIST_ACTION }, signed.signature, owner)
  const rows = await storage.of(sealedKeyRows).ofFid(signed.fid, MAX_COPIES)
  return rows.filter((row) => equalBytes(row.custody, custody))
}

export async function removeCopy(terms: SealedKeyTerms, id: string, signed: Signed): Promise<void> {
  const { storage, owner } = terms
  const action = removeAction(id)
  const custody = await checkOwner({ ...signed, action }, signed.signature, owner)
  await storage.write(['all/sign-ins', `fid/${signed.fid}`], async (tx) => {
    const found = await tx.of(sealedKeyRows).byId(id)
    if (found?.fid !== signed.fid) {
      throw new Rejection('not_found', 'there is no such sealed key', { field: 'id' })
    }
    if (!(await countRequest(tx, action, signed, custody))) throw overtaken()
    await tx.of(sealedKeyRows).remove(signed.fid, id)
    await tell(tx, terms, found, 'removed')
  })
}

/**
 * Whoever signs in with a password or a passkey has the account: its devices and its address are told, so often in a day. Who has stolen
 * the key fills nothing with them; by then its owner knows.
 */
async function tell(
  tx: Writer,
  { pushes, publicUrl, clock }: SealedKeyTerms,
  { fid, kind }: StoredSealedKey,
  what: WayChange,
): Promise<void> {
  const now = clock.now()
  const quota = new Quota(QUOTA, await tx.quotas.used(QUOTA, [`${fid}/${kind}`]))
  if (quota.tryConsume(`${fid}/${kind}`, { windowMs: DAY_MS, max: MAX_TOLD_PER_DAY }, now)) return
  await tx.quotas.put(quota.changed)
  await pushes()?.tell(tx, wayNotice(fid, kind, what, publicUrl), now)
}

/** What the browser needs to know before it can derive anything from a password. */
export async function saltOf(terms: SealedKeyTerms, fid: number): Promise<string> {
  const row = await terms.storage.of(sealedKeyRows).byId(passwordId(fid))
  // One of an earlier key opens nothing.
  if (!row || !(await isCurrent(terms, row))) throw noPassword()
  return toHex(row.salt)
}

/** Gives the copy to who knows the password. */
export async function openByPassword(
  terms: SealedKeyTerms,
  { fid, proof }: { readonly fid: number; readonly proof: string },
  ip: string,
): Promise<StoredSealedKey> {
  const { storage, clock } = terms
  const asked = { fid, ip }
  const row = await storage.of(sealedKeyRows).byId(passwordId(fid))
  if (!row) throw noPassword()
  const now = clock.now()
  await checkMayTry(storage, asked, now)
  await storage.write('all/sign-ins', (tx) => countTry(tx, asked, now))
  if (!timingSafeEqual(hashOf(fromHex(proof)!), row.proof)) {
    throw new Rejection('unauthenticated', 'the password is wrong', { field: 'proof' })
  }
  return used(terms, row)
}

/** What a passkey signs. Nothing is stored before it comes back. */
export async function newChallenge({ keys, clock }: SealedKeyTerms): Promise<string> {
  return makeNonce(await challengeSecret(keys), clock.now())
}

const challengeSecret = async (keys: SigningKeys) => `${(await keys.current()).secret} ${CHALLENGE}`

/** Gives the copy to who has the passkey. A challenge counts once, in all processes. */
export async function openByPasskey(
  terms: SealedKeyTerms,
  { credential, ...assertion }: Assertion & { readonly credential: string },
): Promise<StoredSealedKey> {
  const { storage, clock, keys } = terms
  const now = clock.now()
  const challenge = challengeOf(assertion.clientData) ?? ''
  const endsAt = endOfNonce(await challengeSecret(keys), challenge, now)
  if (endsAt === undefined) {
    const text = 'the challenge is not from here, or has expired: ask for another one'
    throw new Rejection('unauthenticated', text, { field: 'clientData' })
  }
  const row = await storage.of(sealedKeyRows).byId(credential)
  if (row?.kind !== 'passkey') {
    throw new Rejection('not_found', 'this server keeps no key for this passkey', {
      field: 'credential',
    })
  }
  if (!isSignedBy(row.proof, row.site, assertion)) {
    const text = 'not a signature of this passkey for this site, with its user verified'
    throw new Rejection('unauthenticated', text, { field: 'signature' })
  }
  const isFirst = await storage.write(`fid/${row.fid}`, (tx) =>
    tx.of(signInRows).spend(challenge, row.fid, endsAt),
  )
  if (!isFirst) {
    throw new Rejection('unauthenticated', 'the challenge was used before', { field: 'clientData' })
  }
  return used(terms, row)
}

/** The copy, whose account has to belong to its key still: what was moved away is dropped. */
async function used(terms: SealedKeyTerms, row: StoredSealedKey) {
  const { storage, clock } = terms
  const { id, fid } = row
  const isOfOwner = await isCurrent(terms, row)
  await storage.write('all/sign-ins', async (tx) => {
    if (isOfOwner) await tx.of(sealedKeyRows).used(id, clock.now())
    else await tx.of(sealedKeyRows).remove(fid, id)
  })
  if (isOfOwner) return row
  throw new Rejection('not_found', 'the account was moved to another key: sign in with that one')
}

/** Whether the account belongs to the key still. */
async function isCurrent({ owner }: SealedKeyTerms, { fid, custody }: StoredSealedKey) {
  const now = await owner.accounts.custodyOf(fid)
  return now !== undefined && equalBytes(now.address, custody)
}

const noPassword = () =>
  new Rejection('not_found', 'this account has no password here', { field: 'fid' })
const invalid = (field: string, text: string) =>
  new Rejection('bad_request.validation_failure', `${field} ${text}`, { field })

import { randomBytes } from 'node:crypto'
import { base58 } from '@scure/base'
import Type from 'typebox'
import type { InviteCodes } from '../../kernel/accounts/signup.ts'
import type { Param } from '../../kernel/http/input/params.ts'
import { fromHex, toHex, toUtf8 } from '../../kernel/protocol/codec/bytes.ts'
import { hashOf } from '../../kernel/protocol/crypto/hash.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { DAY_MS } from '../../kernel/protocol/time.ts'
import type { Reader, Storage, Writer } from '../../kernel/storage/storage.ts'
import { INVITE_ROLES, type InviteRole, inviteRows, type StoredInvite } from './tables/invites.ts'

// Codes with which their holders may register at the ledger.

/** Invites of the operator that may exist at a time: all of them are on one page, with the newest of members. */
export const MAX_INVITES = 1_000
/** Invites of members together that can be used: a server with more members is asked for fewer. */
export const MAX_MEMBER_INVITES = 100_000
export const MAX_INVITE_USES = 1_000_000
export const MAX_INVITE_DAYS = 3_650
export const MAX_LABEL_CHARACTERS = 100
/** Whoever finds the link of an invite with a role gets the role. */
const MAX_ROLE_DAYS = 14
/** 128 bits cannot be guessed. */
const CODE_BYTES = 16

/** The invite with this code. Throws a Rejection unless it is in force. */
export async function findInvite(
  { of }: Pick<Reader, 'of'>,
  code: string,
  nowMs: number,
): Promise<StoredInvite> {
  const invite = await of(inviteRows).inForce(hashOfCode(code), nowMs)
  if (!invite) throw invalidInvite()
  return invite
}

/** One answer for all of them: who tries codes learns nothing. */
const invalidInvite = () =>
  new Rejection('signup.invalid_invite', 'the invite is unknown, used up or expired', {
    field: 'invite',
  })

/** What the ledger asks of invites. */
export const inviteCodes: InviteCodes = {
  check: findInvite,
  async use(tx, code, by) {
    if (!(await inviteCodes.takeIfInForce(tx, code, by))) throw invalidInvite()
  },
  takeIfInForce: (tx, code, { to, nowMs }) => tx.of(inviteRows).use(hashOfCode(code), to, nowMs),
}

/**
 * What new accounts get with the invites that they were registered with, by one statement for all. Asked once, in the transaction
 * that makes the accounts: afterwards the addresses are forgotten.
 */
export async function takeRoles(
  tx: Writer,
  addresses: readonly Uint8Array[],
): Promise<readonly (InviteRole | undefined)[]> {
  const used = await tx.of(inviteRows).usedBy(addresses)
  if (used.length > 0) await tx.of(inviteRows).forgetUsers(used)
  const byAddress = new Map(used.map(({ used_by, role }) => [toHex(used_by!), role ?? undefined]))
  return addresses.map((address) => byAddress.get(toHex(address)))
}

const hashOfCode = (code: string): Uint8Array => hashOf(toUtf8(code))

type NewInvite = {
  readonly uses: number
  readonly days: number
  readonly label: string
  /** The member who makes it; none: the operator. */
  readonly inviter?: number
  /** Whether who follows the link reads who made it. */
  readonly isNamed?: boolean
  /** What its holder becomes. */
  readonly role?: InviteRole | undefined
}

/** A code for one person. */
export const newInviteCode = (): string => base58.encode(randomBytes(CODE_BYTES))

/**
 * Stores the invite of the settings while nobody has an account. It is stored once, and again when it has expired. It counts until
 * it is used, also when others have joined meanwhile.
 */
export async function storeFirstInvite(
  storage: Storage,
  nowMs: number,
  code: string,
): Promise<void> {
  await storage.write('hub', async (tx) => {
    await tx.of(inviteRows).removeExpired(nowMs)
    const code_hash = hashOfCode(code)
    if ((await tx.accounts.newestFid()) > 0 || (await tx.of(inviteRows).find(code_hash))) return
    await tx.of(inviteRows).insert({
      code_hash,
      label: 'first account',
      uses: 1,
      uses_left: 1,
      created_at: nowMs,
      expires_at: nowMs + MAX_ROLE_DAYS * DAY_MS,
      inviter: null,
      is_named: 1,
      role: 'operator',
      used_by: null,
    })
  })
}

/** Makes an invite. Its code is in the answer and nowhere else. */
export async function createInvite(
  storage: Storage,
  nowMs: number,
  { uses, days, label, inviter = undefined, isNamed = true, role }: NewInvite,
  /** Checks what else must hold, in the transaction. */
  check: (tx: Writer) => Promise<void> = async () => {},
): Promise<{ readonly code: string; readonly invite: StoredInvite }> {
  if (role && (uses > 1 || days > MAX_ROLE_DAYS)) {
    const text = `an invite with a role is for one person, within ${MAX_ROLE_DAYS} days`
    throw new Rejection('bad_request.validation_failure', text, { field: 'role' })
  }
  const code = newInviteCode()
  const invite: StoredInvite = {
    code_hash: hashOfCode(code),
    label,
    uses,
    uses_left: uses,
    created_at: nowMs,
    expires_at: nowMs + days * DAY_MS,
    inviter: inviter ?? null,
    is_named: isNamed ? 1 : 0,
    role: role ?? null,
    used_by: null,
  }
  await storage.write('hub', async (tx) => {
    await tx.of(inviteRows).removeExpired(nowMs)
    await check(tx)
    await checkRoom(tx, inviter)
    await tx.of(inviteRows).insert(invite)
  })
  return { code, invite }
}

/** Members take no places of the operator. */
async function checkRoom({ of }: Writer, inviter: number | undefined): Promise<void> {
  const invites = of(inviteRows)
  if (inviter === undefined && (await invites.ofOperatorCount()) >= MAX_INVITES) {
    const message = `there are ${MAX_INVITES} invites, the most there can be; revoke some`
    throw new Rejection('bad_request.validation_failure', message)
  }
  if (inviter === undefined) return
  if ((await invites.ofMembersCount(MAX_MEMBER_INVITES)) < MAX_MEMBER_INVITES) return
  const message = 'members have made too many invites that nobody has used yet; try again later'
  throw new Rejection('unavailable.overloaded', message)
}

/** Revokes an invite by its id, of anybody or only one of a member. Who registered with it stays. */
export async function revokeInvite(storage: Storage, id: string, inviter?: number): Promise<void> {
  const hash = fromHex(id)!
  const removed = await storage.write('hub', ({ of }) =>
    inviter === undefined ? of(inviteRows).remove(hash) : of(inviteRows).removeBy(hash, inviter),
  )
  if (removed === 0) throw new Rejection('not_found', `there is no invite ${id}`, { field: 'id' })
}

/** Where its holder joins; nothing where the address of the front door is not known. */
export const inviteLink = (publicUrl: string | undefined, code: string) =>
  publicUrl === undefined ? {} : { link: `${publicUrl}/join?invite=${code}` }

const INVITE_ID = '^0x[0-9a-f]{40}$'

export const inviteIdParam: Param<string> = {
  schema: { type: 'string', pattern: INVITE_ID },
  description: 'The id of the invite.',
  parse: (text, field) => {
    if (new RegExp(INVITE_ID).test(text)) return text
    throw new Rejection('bad_request.invalid_param', `${field} must be 0x and 40 hex digits`, {
      field,
    })
  },
}

export const INVITE_REPLY = {
  id: Type.String({
    pattern: INVITE_ID,
    description: 'Names the invite. It is not the code that registers an account.',
  }),
  label: Type.String(),
  role: Type.Union([Type.Enum(INVITE_ROLES), Type.Null()], {
    description: 'What its holder becomes with the account.',
  }),
  uses: Type.Integer(),
  usesLeft: Type.Integer(),
  createdAt: Type.Integer({ description: 'Unix ms.' }),
  expiresAt: Type.Integer({ description: 'Unix ms.' }),
}

export const inviteJson = (invite: StoredInvite) => ({
  id: toHex(invite.code_hash),
  label: invite.label,
  role: invite.role,
  uses: invite.uses,
  usesLeft: invite.uses_left,
  createdAt: invite.created_at,
  expiresAt: invite.expires_at,
})

import { checkOwner, type OwnerTerms } from '../../kernel/accounts/owner-request.ts'
import { readClient } from '../../kernel/limits/client.ts'
import { type Exceeded, refusalOf } from '../../kernel/limits/exceeded.ts'
import { Quota, type QuotaTerms } from '../../kernel/limits/quota.ts'
import { equalBytes } from '../../kernel/protocol/codec/bytes.ts'
import { mailboxOf, parseMailAddress } from '../../kernel/protocol/mail-address.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../kernel/protocol/time.ts'
import type { Storage, Writer } from '../../kernel/storage/storage.ts'
import { hashOfToken, newToken } from './links.ts'
import { addMail } from './queue.ts'
import { type MailAddress, type MailLink, mailAddressRows } from './tables/addresses.ts'
import { mailRows } from './tables/mails.ts'

// The address that a member confirms. Whoever can read its mail may begin to recover the account, so the custody key names it. Nobody
// learns from an answer whether an address belongs to an account.

/** A link counts so long. */
export const LINK_LIFETIME_MS = HOUR_MS

/** Deadlines of the newest requests of owners. They are kept until they have passed: no earlier request counts for longer. */
const NEWEST = 'mail address requests'
const QUOTA = 'mail links'
/**
 * Mails with links in a day that one client may cause, and all in an hour; and those that one account and one address may get, of
 * each purpose.
 */
export const LINK_BOUNDS = {
  network: 10,
  provider: 50,
  account: 5,
  address: 3,
  serverHour: 500,
} as const

type Signed = { readonly fid: number; readonly deadline: number; readonly signature: string }

export type OwnAddressContext = {
  readonly storage: Storage
  readonly owner: OwnerTerms
  /** A link to the page of links in mails. */
  readonly page: (what: string, token: string) => string
  /** A name of an address by which quotas count, which does not tell it. */
  readonly hidden: (address: string) => Promise<string>
  readonly publicUrl: string
  /** Whether the recovery service can move the account: nobody is sent a way back that leads nowhere. */
  readonly canRecover: (fid: number) => Promise<boolean>
  /** Unix milliseconds. */
  readonly nowMs: () => number
}

export class OwnAddresses {
  readonly #context: OwnAddressContext

  constructor(context: OwnAddressContext) {
    this.#context = context
  }

  /** What the owner sees. */
  async read(signed: Signed) {
    const { storage, nowMs } = this.#context
    await this.#check(signed, 'read mail address')
    const { of } = storage
    const [row, [pending]] = await Promise.all([
      of(mailAddressRows).find(signed.fid),
      of(mailAddressRows).linksOf(signed.fid, 'confirm', 1),
    ])
    const isPending = pending !== undefined && pending.expires_at > nowMs()
    return { row, pending: isPending ? pending.address : undefined }
  }

  /** Sends a link to an address. With the link the address is that of the account. */
  async add(signed: Signed, text: string, ip: string): Promise<void> {
    const address = parseMailAddress(text)
    if (!address) throw invalidAddress()
    const custody = await this.#check(signed, `add mail address ${text}`)
    const { storage, nowMs } = this.#context
    if ((await storage.moderation.account(signed.fid))?.suspended) {
      const text = `the operator of this server has suspended fid ${signed.fid}`
      throw new Rejection('unauthorized.suspended', text)
    }
    await storage.write('all/mails', async (tx) => {
      const rows = tx.of(mailAddressRows)
      const before = await rows.find(signed.fid)
      await this.#checkNewest(tx, signed, signed.deadline)
      if (before?.address === address) return
      const exceeded =
        (await this.#countClient(tx, ip)) ??
        (await this.#countMailbox(tx, 'confirm', signed.fid, address))
      if (exceeded) throw tooMany(exceeded)
      const { token, hash } = newToken()
      const expires_at = nowMs() + LINK_LIFETIME_MS
      await rows.removeLinks(signed.fid, 'confirm')
      await rows.addLink({
        hash,
        fid: signed.fid,
        purpose: 'confirm',
        address,
        custody,
        expires_at,
      })
      const holder = await rows.byAddress(address)
      const content = holder ? ADDRESS_IN_USE : this.#confirmation(signed.fid, token)
      await addMail(tx, { fid: holder?.fid ?? signed.fid, address, kind: 'link', content }, nowMs())
    })
  }

  /** Makes an address that of the account. Who has the link can read its mail. */
  async confirm(token: string): Promise<{ fid: number; address: string }> {
    const { storage, nowMs } = this.#context
    // Under the lock of the hub the account is neither erased nor moved meanwhile.
    return storage.write(['hub', 'all/mails'], async (tx) => {
      const rows = tx.of(mailAddressRows)
      const hash = hashOfToken(token)
      const link = await rows.link(hash)
      if (link?.purpose !== 'confirm' || link.expires_at <= nowMs()) throw noLink()
      if (!(await rows.takeLink(hash))) throw noLink()
      const { fid, address, custody } = link
      const now = await tx.accounts.custody(fid)
      const holder = await rows.byAddress(address)
      if (!now || !equalBytes(now.address, custody) || (holder && holder.fid !== fid))
        throw noLink()
      const before = await rows.find(fid)
      if (before) await this.#leave(tx, before)
      await rows.put({ fid, address, custody, confirmed_at: nowMs(), refused_at: null })
      return { fid, address }
    })
  }

  async remove(signed: Signed): Promise<void> {
    await this.#check(signed, 'remove mail address')
    await this.#context.storage.write('all/mails', async (tx) => {
      const rows = tx.of(mailAddressRows)
      const before = await rows.find(signed.fid)
      // The removal itself, sent again, removes no address that is confirmed later.
      await this.#checkNewest(tx, signed, signed.deadline + 1)
      await rows.removeLinks(signed.fid, 'confirm')
      await rows.removeLinks(signed.fid, 'recover')
      if (!before) return
      await this.#leave(tx, before)
      await rows.remove(signed.fid)
    })
  }

  /** Sends a link with which a recovery begins, if this is the address of the account. The answer is the same when it is not. */
  async sendWayBack({ fid, address: text }: { fid: number; address: string }, ip: string) {
    const address = parseMailAddress(text)
    if (!address) throw invalidAddress()
    const { storage, owner, publicUrl, nowMs } = this.#context
    const custody = (await this.#context.canRecover(fid))
      ? await owner.accounts.custodyOf(fid)
      : undefined
    await storage.write('all/mails', async (tx) => {
      // Bounds of where somebody is tell nothing about an account.
      const exceeded = await this.#countClient(tx, ip)
      if (exceeded) throw tooMany(exceeded)
      const rows = tx.of(mailAddressRows)
      const row = await rows.find(fid)
      if (row?.address !== address || !custody) return
      if (!equalBytes(row.custody, custody.address)) return
      // Who does not know the address uses up nothing of its owner.
      if (await this.#countMailbox(tx, 'recover', fid, address)) return
      const { token, hash } = newToken()
      const expires_at = nowMs() + LINK_LIFETIME_MS
      await rows.removeLinks(fid, 'recover')
      await rows.addLink({
        hash,
        fid,
        purpose: 'recover',
        address,
        custody: row.custody,
        expires_at,
      })
      const url = `${publicUrl}/join/recover#fid=${fid}&mail=${token}`
      await addMail(tx, { fid, address, kind: 'link', content: wayBack(url) }, nowMs())
    })
  }

  /** Takes the link of a recovery, in a transaction: true once, for the account whose address it went to. */
  async takeWayBack(tx: Writer, token: string, fid: number): Promise<boolean> {
    const { owner, nowMs } = this.#context
    const rows = tx.of(mailAddressRows)
    const hash = hashOfToken(token)
    const [link, row] = [await rows.link(hash), await rows.find(fid)]
    if (link?.purpose !== 'recover' || link.fid !== fid || link.expires_at <= nowMs()) return false
    const now = await owner.accounts.custodyOf(fid)
    if (row?.address !== link.address || !now || !equalBytes(now.address, link.custody))
      return false
    return rows.takeLink(hash)
  }

  #check(signed: Signed, action: string): Promise<Uint8Array> {
    return checkOwner({ ...signed, action }, signed.signature, this.#context.owner)
  }

  /** A request that was sent once cannot undo a later one: after this none counts with a deadline before `until`, in Unix seconds. */
  async #checkNewest({ quotas }: Writer, { fid, deadline }: Signed, until: number): Promise<void> {
    const [newest] = await quotas.used(NEWEST, [String(fid)])
    if (newest && deadline * SECOND_MS < newest.ends_at) {
      const text = 'a later request has changed the address since: sign again with a later deadline'
      throw new Rejection('changed_meanwhile', text, { field: 'deadline' })
    }
    const ends_at = until * SECOND_MS
    await quotas.put([{ name: NEWEST, subject: String(fid), ends_at, count: 1, amount: 0 }])
  }

  /** Counts a request for a mail with a link, by where it comes from; the bound that is reached, if one is. */
  #countClient(tx: Writer, ip: string): Promise<Exceeded | undefined> {
    const { network, provider } = readClient(ip)
    return this.#count(tx, [
      [`network/${network}`, { windowMs: DAY_MS, max: LINK_BOUNDS.network }],
      [`provider/${provider}`, { windowMs: DAY_MS, max: LINK_BOUNDS.provider }],
      ['server', { windowMs: HOUR_MS, max: LINK_BOUNDS.serverHour }],
    ])
  }

  /** Counts a mail with a link, by where it goes to. */
  async #countMailbox(tx: Writer, purpose: MailLink['purpose'], fid: number, address: string) {
    const hidden = await this.#context.hidden(mailboxOf(address))
    return this.#count(tx, [
      [`${purpose}/account/${fid}`, { windowMs: DAY_MS, max: LINK_BOUNDS.account }],
      [`${purpose}/address/${hidden}`, { windowMs: DAY_MS, max: LINK_BOUNDS.address }],
    ])
  }

  async #count(
    { quotas }: Writer,
    bounds: readonly (readonly [subject: string, terms: QuotaTerms])[],
  ): Promise<Exceeded | undefined> {
    const subjects = bounds.map(([subject]) => subject)
    const quota = new Quota(QUOTA, await quotas.used(QUOTA, subjects))
    for (const [subject, terms] of bounds) {
      const exceeded = quota.tryConsume(subject, terms, this.#context.nowMs())
      if (exceeded) return exceeded
    }
    await quotas.put(quota.changed)
    return undefined
  }

  #confirmation(fid: number, token: string) {
    return {
      subject: 'Confirm your e-mail address',
      paragraphs: [
        `Somebody wants to use this address for account number ${fid}. If that is you, press the button within an hour.`,
        'With it you are told what touches the security of your account.',
      ],
      button: { label: 'Confirm the address', url: this.#context.page('confirm', token) },
    }
  }

  /** Sends a last notice to the address that an account had before. */
  async #leave(tx: Writer, { fid, address }: MailAddress): Promise<void> {
    await tx.of(mailRows).removeOf(fid, address)
    const content = {
      subject: 'Your account does not use this address any more',
      paragraphs: [
        `Account number ${fid} has another e-mail address now, or none. The key of the account has asked for it. If that was not you, somebody else has this key: move the account to another one under “My account”.`,
      ],
      button: { label: 'My account', url: `${this.#context.publicUrl}/account` },
    }
    await addMail(tx, { fid, address, kind: 'security', content }, this.#context.nowMs())
  }
}

const ADDRESS_IN_USE = {
  subject: 'Somebody has entered your e-mail address',
  paragraphs: [
    'Somebody wants to use this address for another account. It belongs to your account already, so nothing has changed. To use it for another account, remove it from this one first.',
  ],
}

const wayBack = (url: string) => ({
  subject: 'Get your account back',
  paragraphs: [
    'Somebody who has lost every key of your account wants to get it back. If that is you, press the button within an hour: you get new words, and the account moves to them after the waiting time.',
    'If that is not you, do nothing. Nothing happens without this link.',
  ],
  button: { label: 'Get my account back', url },
})

const tooMany = (exceeded: Exceeded) =>
  refusalOf(exceeded, 'too many mails with links were asked for')
const noLink = () =>
  new Rejection('not_found', 'the link was used or is too old: ask for another one', {
    field: 'token',
  })
const invalidAddress = () =>
  new Rejection(
    'bad_request.validation_failure',
    'address must be an e-mail address, such as ada@example.org',
    { field: 'address' },
  )

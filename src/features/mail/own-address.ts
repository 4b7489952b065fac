import { checkOwner, type OwnerTerms } from '../../kernel/accounts/owner-request.ts'
import type { Say } from '../../kernel/http/translator.ts'
import { readClient } from '../../kernel/limits/client.ts'
import { type Exceeded, refusalOf } from '../../kernel/limits/exceeded.ts'
import { Quota, type QuotaTerms } from '../../kernel/limits/quota.ts'
import { equalBytes } from '../../kernel/protocol/codec/bytes.ts'
import { mailboxOf, parseMailAddress } from '../../kernel/protocol/mail-address.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../kernel/protocol/time.ts'
import type { Reader, Storage, Writer } from '../../kernel/storage/storage.ts'
import { type AddressChanges, changeLocks } from './address-changes.ts'
import { nextDigest } from './digest-times.ts'
import { hashOfToken, newToken } from './links.ts'
import type { MailContent } from './message.ts'
import { holderOf, presentAddress, takeHolder, takePresentAddress } from './present-address.ts'
import { MAX_REFUSALS, type MailQueue } from './queue.ts'
import type { RefusedAddresses } from './refused-addresses.ts'
import { type Digest, type MailLink, mailAddressRows } from './tables/addresses.ts'

// The address that a member confirms. Whoever can read its mail may begin to recover the account, so the custody key names it. Nobody
// learns from an answer whether an address belongs to an account.

/** A link counts so long. */
export const LINK_LIFETIME_MS = HOUR_MS

/** Deadlines of the newest requests of owners. They are kept until they have passed: no earlier request counts for longer. */
const NEWEST = 'mail address requests'
const QUOTA = 'mail links'
/**
 * Mails with links in a day that one client may ask for; and of each purpose those that one account asks for in a day, those of them to
 * one address, those that an address gets of all accounts, so that a stranger does not keep it from its owner, and all in an hour. Requests that send nothing use up nothing but those of the client.
 */
export const LINK_BOUNDS = {
  network: 10,
  provider: 50,
  account: 5,
  address: 3,
  addressInAll: 12,
  serverHour: 500,
  /** Removals that one account asks for in a day: each is told. */
  removals: 10,
} as const

type Signed = { readonly fid: number; readonly deadline: number; readonly signature: string }

export type Choices = {
  readonly decisions: boolean
  readonly reports: boolean
  readonly digest: Digest
}

export type OwnAddressContext = {
  readonly storage: Storage
  readonly owner: OwnerTerms
  /** A link to the page of links in mails. */
  readonly page: (what: string, token: string) => string
  /** A name of an address by which quotas count, which does not tell it. */
  readonly hidden: (address: string) => Promise<string>
  readonly publicUrl: string
  readonly queue: Pick<MailQueue, 'add'>
  readonly changes: AddressChanges
  readonly refused: RefusedAddresses
  /** Whether the recovery service can move the account: nobody is sent a way back that leads nowhere. */
  readonly canRecover: (fid: number) => Promise<boolean>
  /** How mails call an account: `@ada`, or `#12` without a name. */
  readonly called: (fid: number) => Promise<string>
  /** Whether the server sends mail: where it does not, a lost account does not come back by one. */
  readonly isOn: (reader?: Pick<Reader, 'of'>) => Promise<boolean>
  /** Unix milliseconds. */
  readonly nowMs: () => number
}

/** What nobody could be told of is refused. */
export async function checkOn(isOn: boolean | Promise<boolean>): Promise<void> {
  if (!(await isOn)) throw new Rejection('not_supported', 'this server sends no e-mail')
}

export class OwnAddresses {
  readonly #context: OwnAddressContext

  constructor(context: OwnAddressContext) {
    this.#context = context
  }

  /** What the owner sees. */
  async read(signed: Signed) {
    const { storage, nowMs } = this.#context
    const custody = await this.#check(signed, 'read mail address')
    const { of } = storage
    const [row, change, [pending]] = await Promise.all([
      of(mailAddressRows).find(signed.fid),
      of(mailAddressRows).change(signed.fid),
      of(mailAddressRows).linksOf(signed.fid, 'confirm', 1),
    ])
    // What an earlier owner has left is nobody's.
    const own = <T extends { readonly custody: Uint8Array }>(one: T | undefined) =>
      one && equalBytes(one.custody, custody) ? one : undefined
    const isPending = pending !== undefined && pending.expires_at > nowMs()
    const confirming = isPending ? own(pending)?.address : undefined
    return { row: own(row), change: own(row) && own(change), pending: confirming }
  }

  /** Sends a link to an address. With the link the address is that of the account. */
  async add(signed: Signed, text: string, ip: string): Promise<void> {
    const address = parseMailAddress(text)
    if (!address) throw invalidAddress()
    const custody = await this.#check(signed, `add mail address ${text}`)
    const { storage, queue, nowMs } = this.#context
    if ((await storage.moderation.account(signed.fid))?.suspended) {
      const text = `the operator of this server has suspended fid ${signed.fid}`
      throw new Rejection('unauthorized.suspended', text)
    }
    const called = await this.#context.called(signed.fid)
    await storage.write('all/mails', async (tx) => {
      const rows = tx.of(mailAddressRows)
      const before = await presentAddress(tx, signed.fid)
      await this.#checkNewest(tx, signed, signed.deadline)
      // An address to which nothing is sent any more is confirmed anew.
      if (before?.address === address && before.refusals < MAX_REFUSALS) return
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
      // Who asks does not learn that the reader of the address wants no more of these.
      if (await this.#context.refused.isRefused(tx, address)) return
      const aside = await this.#context.refused.link(address)
      const holder = await holderOf(tx, address)
      const isOther = holder && holder.fid !== signed.fid
      const content = (say: Say) => ({
        ...(isOther ? addressInUse(say) : this.#confirmation(say, called, token)),
        aside: aside(say),
      })
      const mail = { address, kind: 'link', content } as const
      await queue.add(tx, { ...mail, fid: holder?.fid ?? signed.fid }, nowMs())
    })
  }

  /** What a link would do, for the page that asks before it does. */
  async look(token: string): Promise<MailLink> {
    const { storage, changes, nowMs } = this.#context
    const link = await storage.of(mailAddressRows).link(hashOfToken(token))
    const isConfirm = link?.purpose === 'confirm' && link.expires_at > nowMs()
    const found = isConfirm
      ? link
      : ((await this.#wayBack(storage, token)) ?? (await changes.findLink(token)))
    if (!found) throw noLink()
    if (found.purpose === 'recover') await checkOn(this.#context.isOn())
    return found
  }

  /**
   * Makes an address that of the account. Who has the link can read its mail. In place of another address it waits, until the Unix ms
   * of the answer.
   */
  async confirm(token: string) {
    const { storage, changes, refused, nowMs } = this.#context
    const hash = hashOfToken(token)
    const found = await storage.of(mailAddressRows).link(hash)
    if (!found) throw noLink()
    const called = await this.#context.called(found.fid)
    return storage.write(changeLocks(found.fid), async (tx) => {
      const rows = tx.of(mailAddressRows)
      const link = await rows.link(hash)
      if (link?.purpose !== 'confirm' || link.expires_at <= nowMs()) throw noLink()
      if (!(await rows.takeLink(hash))) throw noLink()
      const { fid, address, custody } = link
      const now = await tx.accounts.custody(fid)
      const [before, holder] = [await takePresentAddress(tx, fid), await takeHolder(tx, address)]
      if (!now || !equalBytes(now.address, custody) || (holder && holder.fid !== fid))
        throw noLink()
      if (await refused.isRefused(tx, address)) throw noLink()
      if (!before) await changes.addFirst(tx, { fid, address, custody })
      if (holder) await rows.noteRefused({ fid, refused_at: null, refusals: 0 })
      if (!before || holder) return { fid, address, changesAt: undefined }
      return { fid, address, changesAt: await changes.begin(tx, before, { address, called }) }
    })
  }

  /** Removes the address after the wait; what was sent to an address that is not confirmed counts no more. */
  async remove(signed: Signed): Promise<void> {
    await this.#check(signed, 'remove mail address')
    const called = await this.#context.called(signed.fid)
    await this.#context.storage.write(changeLocks(signed.fid), async (tx) => {
      const rows = tx.of(mailAddressRows)
      const before = await takePresentAddress(tx, signed.fid)
      // The removal itself, sent again, removes no address that is confirmed later.
      await this.#checkNewest(tx, signed, signed.deadline + 1)
      await rows.removeLinks(signed.fid, 'confirm')
      if (!before) return
      const terms = { windowMs: DAY_MS, max: LINK_BOUNDS.removals }
      const exceeded = await this.#count(tx, [[`removal/${signed.fid}`, terms]])
      if (exceeded) throw refusalOf(exceeded, 'the address was removed too often')
      await this.#context.changes.begin(tx, before, { address: null, called })
    })
  }

  /** Chooses what is sent. A digest comes the first time after a whole day or week. */
  async choose(signed: Signed, { decisions, reports, digest }: Choices): Promise<void> {
    const [first, second] = [decisions, reports].map((isOn) => (isOn ? 'on' : 'off'))
    await this.#check(signed, `choose mail decisions=${first} reports=${second} digest=${digest}`)
    await this.#context.storage.write('all/mails', async (tx) => {
      await this.#checkNewest(tx, signed, signed.deadline + 1)
      const before = await presentAddress(tx, signed.fid)
      if (!before) return
      const isSame = before.digest === digest
      const digest_due = isSame ? before.digest_due : nextDigest(digest, this.#context.nowMs())
      const flags = { decisions: decisions ? 1 : 0, reports: reports ? 1 : 0 } as const
      await tx.of(mailAddressRows).choose(signed.fid, { ...flags, digest, digest_due })
    })
  }

  /**
   * Ends that another address, or none, waits. No later request keeps the owner from it: whoever has stolen the key would sign one with a
   * far deadline. Sent again it does no more than that the owner has to ask for the change once more.
   */
  async keep(signed: Signed): Promise<void> {
    await this.#check(signed, 'keep mail address')
    await this.#context.storage.write(changeLocks(signed.fid), async (tx) => {
      if (await takePresentAddress(tx, signed.fid)) await this.#context.changes.keep(tx, signed.fid)
    })
  }

  /** Sends a link with which a recovery begins, if this is the address of the account. The answer is the same when it is not. */
  async sendWayBack({ fid, address: text }: { fid: number; address: string }, ip: string) {
    const address = parseMailAddress(text)
    if (!address) throw invalidAddress()
    const { storage, owner, publicUrl, queue, nowMs } = this.#context
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
      await queue.add(tx, { fid, address, kind: 'link', content: wayBack(url) }, nowMs())
    })
  }

  /** Takes the link of a recovery, in a transaction: true once, for the account whose address it went to. */
  async takeWayBack(tx: Writer, token: string, fid: number): Promise<boolean> {
    // The address is told of the move, and stops it.
    await checkOn(this.#context.isOn(tx))
    const link = await this.#wayBack(tx, token)
    return link?.fid === fid && tx.of(mailAddressRows).takeLink(link.hash)
  }

  /** The link of a recovery, while it counts. */
  async #wayBack({ of }: Pick<Reader, 'of'>, token: string): Promise<MailLink | undefined> {
    const { owner, nowMs } = this.#context
    const link = await of(mailAddressRows).link(hashOfToken(token))
    if (link?.purpose !== 'recover' || link.expires_at <= nowMs()) return undefined
    const row = await of(mailAddressRows).find(link.fid)
    const now = await owner.accounts.custodyOf(link.fid)
    const isCurrent = row?.address === link.address && now && equalBytes(now.address, link.custody)
    return isCurrent ? link : undefined
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
    ])
  }

  /** Counts a mail with a link, by where it goes to. */
  async #countMailbox(tx: Writer, purpose: MailLink['purpose'], fid: number, address: string) {
    const hidden = await this.#context.hidden(mailboxOf(address))
    return this.#count(tx, [
      [`${purpose}/account/${fid}`, { windowMs: DAY_MS, max: LINK_BOUNDS.account }],
      [`${purpose}/address/${hidden}/${fid}`, { windowMs: DAY_MS, max: LINK_BOUNDS.address }],
      [`${purpose}/address/${hidden}`, { windowMs: DAY_MS, max: LINK_BOUNDS.addressInAll }],
      [`${purpose}/server`, { windowMs: HOUR_MS, max: LINK_BOUNDS.serverHour }],
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

  #confirmation(say: Say, called: string, token: string): MailContent {
    return {
      subject: say('Confirm your e-mail address'),
      paragraphs: [
        say(
          'Somebody wants to use this address for the account {account}. If that is you, press the button within an hour.',
          { account: called },
        ),
        say('With it you are told what touches the security of your account.'),
      ],
      button: { label: say('Confirm the address'), url: this.#context.page('confirm', token) },
    }
  }
}

const addressInUse = (say: Say): MailContent => ({
  subject: say('Somebody has entered your e-mail address'),
  paragraphs: [
    say(
      'Somebody wants to use this address for another account. It belongs to your account already, so nothing has changed. To use it for another account, remove it from this one first.',
    ),
  ],
})

const wayBack = (url: string) => (say: Say) => ({
  subject: say('Get your account back'),
  paragraphs: [
    say(
      'Somebody who has lost every key of your account wants to get it back. If that is you, press the button within an hour: you get new words, and the account moves to them after the waiting time.',
    ),
    say('If that is not you, do nothing. Nothing happens without this link.'),
  ],
  button: { label: say('Get my account back'), url },
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

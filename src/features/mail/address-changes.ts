import type { Say } from '../../kernel/http/translator.ts'
import { checkLease, type Job, type JobRun } from '../../kernel/jobs/job.ts'
import { equalBytes } from '../../kernel/protocol/codec/bytes.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { DAY_MS, MINUTE_MS } from '../../kernel/protocol/time.ts'
import type { Locks } from '../../kernel/storage/locks.ts'
import type { Reader, Storage, Writer } from '../../kernel/storage/storage.ts'
import type { AccountNotice, Pushes } from '../push/port.ts'
import { hashOfToken, newToken } from './links.ts'
import { takeHolder, takePresentAddress } from './present-address.ts'
import type { MailQueue } from './queue.ts'
import {
  FIRST_CHOICES,
  type MailAddress,
  type MailChange,
  type MailLink,
  mailAddressRows,
} from './tables/addresses.ts'
import { mailRows } from './tables/mails.ts'

// Another address, or none, in place of a confirmed one. It waits, because whoever reads the mail of the address may begin to recover
// the account: until then the present address gets every mail, and its reader stops the change or makes it at once, without signing in.
// Every device is told when an address is added, is about to change, has changed or stays.
//
// While the server sends no mail, no other address takes the place of one: its reader would not be told. It can be removed, of which
// devices are told. Once there is a mail server again, each wait that is left begins anew with a mail, and accounts are told of moves.

/** A change can be stopped so long: as long as the least time that a recovery is advised to wait. */
export const CHANGE_WAIT_MS = 7 * DAY_MS
/** Changes that one run makes. */
const MAX_MADE = 100
/**
 * How far accounts are told since there is a mail server again: NOBODY, up to a fid, or EVERYBODY. Nothing where the server has never
 * been without one.
 */
const TOLD = 'told since there is a mail server'
const NOBODY = 'nobody'
const EVERYBODY = 'everybody'
/** Accounts that are read at a time. */
const MAX_TOLD = 100

/** Notes, in the transaction that ends it, that the server sends no mail from now on. */
export const noteMailOff = (tx: Pick<Writer, 'cursors'>) => tx.cursors.put(TOLD, NOBODY)

type ChangeTerms = {
  readonly storage: Storage
  readonly page: (what: string, token: string) => string
  readonly publicUrl: string
  readonly queue: Pick<MailQueue, 'add'>
  /** Undefined where nothing is pushed to devices. */
  readonly pushes: () => Pushes | undefined
  /** Whether the reader of an address wants nothing of this server. */
  readonly isRefused: (tx: Writer, address: string) => Promise<boolean>
  /** How mails call an account. */
  readonly called: (fid: number) => Promise<string>
  /** Whether the server sends mail. */
  readonly isOn: (reader?: Pick<Reader, 'of'>) => Promise<boolean>
  /** Tells an account of the moves to another key that wait. */
  readonly tellMoves: (tx: Writer, fid: number) => Promise<unknown>
  /** Accounts after a fid, in its order, that have such moves. */
  readonly moving: (after: number, limit: number) => Promise<readonly number[]>
  /** Unix milliseconds. */
  readonly nowMs: () => number
}

/** The locks under which an address changes: the account is neither erased nor moved meanwhile. */
export const changeLocks = (fid: number) => ['hub', 'all/mails', `fid/${fid}`] as const

export class AddressChanges {
  readonly #terms: ChangeTerms

  constructor(terms: ChangeTerms) {
    this.#terms = terms
  }

  /** The first address of an account counts at once: there is nobody whom it is taken from. */
  async addFirst(
    tx: Writer,
    { fid, address, custody }: Omit<MailChange, 'due'> & { address: string },
  ) {
    const confirmed_at = this.#terms.nowMs()
    await tx.of(mailAddressRows).put({ fid, address, custody, confirmed_at, ...FIRST_CHOICES })
    await this.#push(tx, fid, ADDED)
    await this.#terms.tellMoves(tx, fid)
  }

  /** Begins the wait for another address, or for none. Returns its end in Unix ms. */
  async begin(
    tx: Writer,
    present: MailAddress,
    { address, called }: { readonly address: string | null; readonly called: string },
  ): Promise<number> {
    const { page, queue, isOn, nowMs } = this.#terms
    const { fid, custody } = present
    const rows = tx.of(mailAddressRows)
    const waiting = await rows.change(fid)
    // The wait does not begin anew, and nobody is told twice.
    if (waiting?.address === address) return waiting.due
    const due = nowMs() + CHANGE_WAIT_MS
    const { token, hash } = newToken()
    await rows.removeLinks(fid, 'change')
    await rows.putChange({ fid, address, custody, due })
    const link = { hash, fid, address: present.address, custody, expires_at: due }
    await rows.addLink({ ...link, purpose: 'change' })
    const days = CHANGE_WAIT_MS / DAY_MS
    const content = (say: Say) => ({
      subject: BEGUN(say).title,
      paragraphs: [
        address === null
          ? say(
              'The key of the account {account} has asked for no e-mail address in place of this one. It changes in {days, plural, one {# day} other {# days}}; until then mails come here.',
              { account: called, days },
            )
          : say(
              'The key of the account {account} has asked for another e-mail address in place of this one. It changes in {days, plural, one {# day} other {# days}}; until then mails come here.',
              { account: called, days },
            ),
        say(
          'If that was not you, open the link and stop it: somebody else has this key. If it was you, the same page changes it at once. You need not sign in.',
        ),
      ],
      button: { label: say('Stop it, or change it now'), url: page('change', token) },
    })
    const mail = { fid, address: present.address, kind: 'veto', content } as const
    await queue.add(tx, { ...mail, expiresAt: due }, nowMs())
    await this.#push(tx, fid, (await isOn(tx)) ? BEGUN : BEGUN_WITHOUT_MAIL)
    return due
  }

  /** Ends the wait with the link that the present address was sent: `stop` keeps the address, `now` does not wait any longer. */
  async end(token: string, how: 'stop' | 'now'): Promise<void> {
    const link = await this.findLink(token)
    if (!link) throw noChange()
    const called = await this.#terms.called(link.fid)
    const isDone = await this.#terms.storage.write(changeLocks(link.fid), async (tx) => {
      const change = await tx.of(mailAddressRows).change(link.fid)
      const present = await takePresentAddress(tx, link.fid)
      if (!change || !present || !equalBytes(present.custody, link.custody)) return undefined
      if (!(await tx.of(mailAddressRows).takeLink(link.hash))) return undefined
      if (how === 'now') return this.#make(tx, change, called)
      await this.keep(tx, link.fid)
      return true
    })
    if (isDone === undefined) throw noChange()
    if (!isDone) throw new Rejection('bad_request.conflict', NOTHING_CHANGED, { field: 'token' })
  }

  /** The link of a change that waits. */
  async findLink(token: string): Promise<MailLink | undefined> {
    const { storage, nowMs } = this.#terms
    const link = await storage.of(mailAddressRows).link(hashOfToken(token))
    return link?.purpose === 'change' && link.expires_at > nowMs() ? link : undefined
  }

  /** The address stays as it is. */
  async keep(tx: Writer, fid: number): Promise<void> {
    if (!(await tx.of(mailAddressRows).change(fid))) return
    await removeChange(tx, fid)
    await this.#push(tx, fid, KEPT)
  }

  readonly job: Job = {
    name: 'change mail addresses',
    scope: 'leader',
    everyMs: MINUTE_MS,
    run: async (run) => {
      const { signal, lease } = run
      const { storage, isOn, nowMs } = this.#terms
      const isOnNow = await isOn()
      const failures = isOnNow ? await this.#tellAnew(run) : []
      if (!isOnNow && (await storage.cursors.get(TOLD)) !== NOBODY) {
        await storage.write('hub', noteMailOff)
      }
      const rows = storage.of(mailAddressRows)
      const due = isOnNow
        ? await rows.changesDue(nowMs(), MAX_MADE)
        : await rows.removalsDue(nowMs(), MAX_MADE)
      for (const { fid } of due) {
        signal.throwIfAborted()
        const make = async () => {
          const called = await this.#terms.called(fid)
          await storage.write(changeLocks(fid), async (tx) => {
            if (lease) await checkLease(tx, lease)
            const change = await tx.of(mailAddressRows).change(fid)
            if (!change || change.due > nowMs()) return
            if (await this.#mayMake(tx, change)) await this.#make(tx, change, called)
          })
        }
        // One that fails keeps no other waiting.
        await make().catch((error) => failures.push(error))
      }
      if (failures.length > 0) throw failures[0]
    },
  }

  /** The mail server may have gone or come since the run began. */
  async #mayMake(tx: Writer, { address }: MailChange): Promise<boolean> {
    if (!(await this.#terms.isOn(tx))) return address === null
    const told = await tx.cursors.get(TOLD)
    return told === undefined || told === EVERYBODY
  }

  /** Tells every account of what waits for it, once since there is a mail server again. Returns why some were not told. */
  async #tellAnew({ signal, lease }: JobRun): Promise<unknown[]> {
    const { storage, moving, called, tellMoves } = this.#terms
    const failures: unknown[] = []
    let told = await storage.cursors.get(TOLD)
    /** Whether the mail server was not removed once more meanwhile. */
    const goOn = async (locks: Locks, next: string, work?: (tx: Writer) => Promise<unknown>) => {
      const isSame = await storage.write(locks, async (tx) => {
        if (lease) await checkLease(tx, lease)
        if ((await tx.cursors.get(TOLD)) !== told) return false
        await work?.(tx)
        await tx.cursors.put(TOLD, next)
        return true
      })
      told = next
      return isSame
    }
    while (told !== undefined && told !== EVERYBODY) {
      const after = told === NOBODY ? 0 : Number(told)
      const changes = await storage.of(mailAddressRows).changesAfter(after, MAX_TOLD)
      const found = [...changes.map(({ fid }) => fid), ...(await moving(after, MAX_TOLD))]
      const fids = [...new Set(found)].sort((a, b) => a - b).slice(0, MAX_TOLD)
      if (fids.length === 0) await goOn('hub', EVERYBODY)
      for (const fid of fids) {
        signal.throwIfAborted()
        const tell = async () => {
          const name = await called(fid)
          return goOn(changeLocks(fid), String(fid), async (tx) => {
            await this.#beginAnew(tx, fid, name)
            await tellMoves(tx, fid)
          })
        }
        // One that fails keeps no other waiting. Nobody was told of its change, so the address stays.
        const isSame = await tell().catch((error) => {
          failures.push(error)
          return goOn(changeLocks(fid), String(fid), (tx) => removeChange(tx, fid))
        })
        if (!isSame) return failures
      }
    }
    return failures
  }

  async #beginAnew(tx: Writer, fid: number, called: string): Promise<void> {
    const rows = tx.of(mailAddressRows)
    const change = await rows.change(fid)
    const present = await takePresentAddress(tx, fid)
    if (!change || !present || !equalBytes(present.custody, change.custody)) return
    await rows.removeChange(fid)
    await this.begin(tx, present, { address: change.address, called })
  }

  /**
   * Whether the address has changed. It may have been confirmed for another account meanwhile, or its reader has refused it, which the
   * account is told; or the account has moved.
   */
  async #make(tx: Writer, { fid, address, custody }: MailChange, called: string): Promise<boolean> {
    const rows = tx.of(mailAddressRows)
    await removeChange(tx, fid)
    const present = await takePresentAddress(tx, fid)
    if (!present || !equalBytes(present.custody, custody)) return false
    if (address !== null && (await this.#isTaken(tx, address))) {
      const content = (say: Say) => {
        const { title: subject, body } = NOT_CHANGED(say)
        return { subject, paragraphs: [body] }
      }
      const mail = { fid, address: present.address, kind: 'security', content } as const
      await this.#terms.queue.add(tx, mail, this.#terms.nowMs())
      await this.#push(tx, fid, NOT_CHANGED)
      return false
    }
    await rows.removeLinks(fid, 'recover')
    await this.#leave(tx, present, called)
    if (address === null) await rows.remove(fid)
    else {
      const fresh = { refused_at: null, refusals: 0, confirmed_at: this.#terms.nowMs() }
      await rows.put({ ...present, ...fresh, address, custody })
    }
    await this.#push(tx, fid, address === null ? REMOVED : CHANGED)
    if (address !== null) await this.#terms.tellMoves(tx, fid)
    return true
  }

  async #isTaken(tx: Writer, address: string): Promise<boolean> {
    return (await this.#terms.isRefused(tx, address)) || Boolean(await takeHolder(tx, address))
  }

  /** Sends a last notice to the address that an account had before. */
  async #leave(tx: Writer, { fid, address }: MailAddress, called: string): Promise<void> {
    await tx.of(mailRows).removeOf(fid, address)
    const content = (say: Say) => ({
      subject: say('Your account does not use this address any more'),
      paragraphs: [
        say(
          'This is not the address of the account {account} any more. The key of the account has asked for another one, or for none. If that was not you, somebody else has this key: move the account to another one under “My account”.',
          { account: called },
        ),
      ],
      button: { label: say('My account'), url: `${this.#terms.publicUrl}/account` },
    })
    const { queue, nowMs } = this.#terms
    await queue.add(tx, { fid, address, kind: 'veto', content }, nowMs())
  }

  async #push(tx: Writer, fid: number, texts: AccountNotice['texts']): Promise<void> {
    const { pushes, nowMs } = this.#terms
    // What the address itself is told depends on which of the two it is.
    const more = { url: '/account#mail', mail: undefined, isFirst: true } as const
    await pushes()?.tell(tx, { fid, texts, ...more }, nowMs())
  }
}

/** A change that waited, with the link that ends it. */
async function removeChange(tx: Writer, fid: number): Promise<void> {
  const rows = tx.of(mailAddressRows)
  await rows.removeChange(fid)
  await rows.removeLinks(fid, 'change')
}

const ADDED = (say: Say) => ({
  title: say('Your account has an e-mail address now'),
  body: say(
    'If that was not you, somebody else has the key of your account: open this and remove it.',
  ),
})
const BEGUN = (say: Say) => ({
  title: say('The e-mail address of your account is about to change'),
  body: say(
    'If that was not you, open this and keep the present one, or use the link that was sent there.',
  ),
})
/** While the server sends no mail no link is sent. */
const BEGUN_WITHOUT_MAIL = (say: Say) => ({
  title: BEGUN(say).title,
  body: say('If that was not you, open this and keep the present one.'),
})
const CHANGED = (say: Say) => ({
  title: say('Your account has another e-mail address now'),
  body: say('If that was not you, somebody else has the key of your account.'),
})
const REMOVED = (say: Say) => ({
  title: say('Your account has no e-mail address any more'),
  body: say('If that was not you, somebody else has the key of your account.'),
})
const KEPT = (say: Say) => ({
  title: say('The e-mail address of your account stays'),
  body: say('The change that waited was stopped.'),
})
const NOT_CHANGED = (say: Say) => ({
  title: say('The e-mail address of your account stays'),
  body: say(
    'Nothing was changed: the other address belongs to another account by now, or its reader wants no mail from here.',
  ),
})

/** For programs: pages have their own words for it. */
const NOTHING_CHANGED =
  'nothing was changed: the other address belongs to another account by now, or its reader wants no mail'

const noChange = () =>
  new Rejection('not_found', 'no change waits any more, or a later one has another link', {
    field: 'token',
  })

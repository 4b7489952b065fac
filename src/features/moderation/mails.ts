import type { Reader, Writer } from '../../kernel/storage/storage.ts'
import type { MailContent, Mails } from '../mail/port.ts'
import type { Act, ModerationAction } from '../moderation-records/port.ts'
import { type StaffRole, staffRows } from './tables/staff.ts'
import { waitingFor } from './waiting.ts'

// What members are told by mail: what was decided about them, and what came of their reports and appeals.

/** Of each action that an account reads about under “Reports”; of others nothing. */
const SUBJECTS: Partial<Readonly<Record<ModerationAction, string>>> = {
  suspend: 'Your account is suspended',
  restore: 'Your account is not suspended any more',
  limit: 'Your account is limited',
  unlimit: 'Your account is not limited any more',
  warn: 'A moderator warns you',
  hide: 'Something that you wrote is hidden',
  unhide: 'Something that you wrote is shown again',
  release: 'Something that you wrote has been looked at and is shown',
  'take-name': 'A name of your account was taken back',
  'remove-file': 'A file of yours was removed',
  'remove-poll': 'A poll of yours was removed',
  appoint: 'You have a role on this server',
  dismiss: 'You have no role on this server any more',
}

/** What came of a report, for who sent it: the reason of an act is written for the author. */
const DONE: Readonly<Record<Exclude<Act, 'leave'>, string>> = {
  warn: 'The author was warned.',
  hide: 'The post was hidden.',
  'remove-poll': 'The poll was removed.',
  limit: 'The account was limited.',
  suspend: 'The account was suspended.',
}

type Decided = {
  readonly action: ModerationAction
  readonly fid: number | null
  readonly actor: string
  readonly reason: string
}
type Told = {
  readonly fids: readonly number[]
  readonly subject: string
  readonly reason: string
  /** The server does some things by itself. */
  readonly byServer?: boolean
  /** In place of the reason. */
  readonly done?: string
}

export class MemberMails {
  readonly #mails: () => Pick<Mails, 'tellAll' | 'publicUrl'> | undefined
  readonly #nowMs: () => number

  /** `mails` are undefined where none are sent. */
  constructor(mails: () => Pick<Mails, 'tellAll' | 'publicUrl'> | undefined, nowMs: () => number) {
    this.#mails = mails
    this.#nowMs = nowMs
  }

  async decided(tx: Writer, { action, fid, actor, reason }: Decided): Promise<void> {
    const subject = SUBJECTS[action]
    if (subject && fid) {
      await this.#tell(tx, { fids: [fid], subject, reason, byServer: actor === 'server' })
    }
  }

  /** One mail for each account, however many of its reports were answered. */
  async reportsAnswered(
    tx: Writer,
    fids: readonly number[],
    { act, reason }: { readonly act?: Act; readonly reason: string },
  ): Promise<void> {
    const reporters = [...new Set(fids)].filter((fid) => fid > 0)
    const subject = 'Your report was answered'
    const done = act && act !== 'leave' ? DONE[act] : undefined
    await this.#tell(tx, { fids: reporters, subject, reason, ...(done && { done }) })
  }

  async appealAnswered(tx: Writer, fid: number, reason: string): Promise<void> {
    await this.#tell(tx, { fids: [fid], subject: 'Your appeal was answered', reason })
  }

  async #tell(tx: Writer, { fids, subject, reason, done, byServer = false }: Told): Promise<void> {
    const mails = this.#mails()
    if (!mails) return
    const content: MailContent = {
      subject,
      paragraphs: [done ?? `${byServer ? 'The server' : 'A moderator'} says: ${reason}`],
      button: { label: 'Read it, and what you can do', url: `${mails.publicUrl}/moderation` },
    }
    await mails.tellAll(tx, { fids, kind: 'decisions', content }, this.#nowMs())
  }
}

/** Accounts that moderate, and what waits for them. */
export type ModeratorsPort = {
  /** All of them, or those with one role. */
  fids(reader: Pick<Reader, 'of'>, role?: StaffRole): Promise<number[]>
  /** Cases and open appeals about which the account may decide, and when the newest came, in Unix seconds. */
  waiting(
    reader: Pick<Reader, 'of'>,
    fid: number,
  ): Promise<{ readonly count: number; readonly newestAt: number }>
}

export const moderators: ModeratorsPort = {
  fids: async ({ of }, role) =>
    (await of(staffRows).list())
      .filter((one) => role === undefined || one.role === role)
      .map(({ fid }) => fid),
  async waiting(reader, fid) {
    const member = await reader.of(staffRows).find(fid)
    return member ? waitingFor(reader, member) : { count: 0, newestAt: 0 }
  },
}

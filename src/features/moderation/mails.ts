import type { Said, Say } from '../../kernel/http/translator.ts'
import type { Reader, Writer } from '../../kernel/storage/storage.ts'
import type { Mails } from '../mail/port.ts'
import { type Act, type ModerationAction, reasonTold } from '../moderation-records/port.ts'
import { type StaffRole, staffRows } from './tables/staff.ts'
import {
  ableStaff,
  NOTHING_WAITS,
  type Waiting,
  waitingFor,
  waitingText,
} from './telling/waiting.ts'

// What members are told by mail: what was decided about them, and what came of their reports and appeals.

/** Of each action that an account reads about under “Reports”; of others nothing. */
const SUBJECTS: Partial<Readonly<Record<ModerationAction, (say: Say) => Said>>> = {
  suspend: (say) => say('Your account is suspended'),
  restore: (say) => say('Your account is not suspended any more'),
  limit: (say) => say('Your account is limited'),
  unlimit: (say) => say('Your account is not limited any more'),
  warn: (say) => say('A moderator warns you'),
  unwarn: (say) => say('A warning of yours was taken back'),
  hide: (say) => say('Something that you wrote is hidden'),
  unhide: (say) => say('Something that you wrote is shown again'),
  release: (say) => say('Something that you wrote has been looked at and is shown'),
  'take-name': (say) => say('A name of your account was taken back'),
  'remove-file': (say) => say('A file of yours was removed'),
  'remove-poll': (say) => say('A poll of yours was removed'),
  appoint: (say) => say('You have a role on this server'),
  dismiss: (say) => say('You have no role on this server any more'),
}

/** What came of a report, for who sent it: the reason of an act is written for the author. */
const DONE: Readonly<Record<Exclude<Act, 'leave'>, (say: Say) => Said>> = {
  warn: (say) => say('The author was warned.'),
  hide: (say) => say('The {post} was hidden.'),
  'remove-poll': (say) => say('The poll was removed.'),
  limit: (say) => say('The account was limited.'),
  suspend: (say) => say('The account was suspended.'),
}

type Decided = {
  readonly action: ModerationAction
  readonly fid: number | null
  readonly actor: string
  readonly reason: string
}
type Told = {
  readonly fids: readonly number[]
  readonly subject: (say: Say) => Said
  readonly reason: string
  /** The server does some things by itself. */
  readonly byServer?: boolean
  /** In place of the reason. */
  readonly done?: (say: Say) => Said
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
    const subject = (say: Say) => say('Your report was answered')
    const done = act && act !== 'leave' ? DONE[act] : undefined
    await this.#tell(tx, { fids: reporters, subject, reason, ...(done && { done }) })
  }

  async appealAnswered(tx: Writer, fid: number, reason: string): Promise<void> {
    const subject = (say: Say) => say('Your appeal was answered')
    await this.#tell(tx, { fids: [fid], subject, reason })
  }

  async #tell(tx: Writer, { fids, subject, reason, done, byServer = false }: Told): Promise<void> {
    const mails = this.#mails()
    if (!mails) return
    const said = (say: Say) => {
      const told = reasonTold(reason, say)
      return byServer
        ? say('The server says: {reason}', { reason: told })
        : say('A moderator says: {reason}', { reason: told })
    }
    const content = (say: Say) => ({
      subject: subject(say),
      paragraphs: [(done ?? said)(say)],
      button: {
        label: say('Read it, and what you can do'),
        url: `${mails.publicUrl}/moderation`,
      },
    })
    await mails.tellAll(tx, { fids, kind: 'decisions', content }, this.#nowMs())
  }
}

/** Accounts that moderate, and what waits for them. */
export type ModeratorsPort = {
  /** All of them, or those with one role, but for those that are suspended. */
  fids(reader: Pick<Reader, 'of' | 'moderation'>, role?: StaffRole): Promise<number[]>
  /** Cases and open appeals about which the account may decide. */
  waiting(reader: Pick<Reader, 'of'>, fid: number, before?: number): Promise<Waiting>
  /** How many of both, for a title. */
  waitingText(waiting: Waiting, say: Say): Said
}

export const moderators: ModeratorsPort = {
  fids: async (reader, role) =>
    (await ableStaff(reader))
      .filter((one) => role === undefined || one.role === role)
      .map(({ fid }) => fid),
  async waiting(reader, fid, before) {
    const member = await reader.of(staffRows).find(fid)
    return member ? waitingFor(reader, member, before) : NOTHING_WAITS
  },
  waitingText,
}

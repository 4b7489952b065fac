import type { OwnLinks } from './links.ts'
import { type MailContent, type MailFrame, mailOf } from './message.ts'
import type { Mail } from './smtp.ts'
import type { WaitingMail } from './tables/mails.ts'

// Makes mails of what waits, when they are sent: the name of the server is that of then.

type Framed = Pick<MailFrame, 'id' | 'to' | 'now' | 'why' | 'unsubscribe'> & {
  readonly content: MailContent
}

type ComposerContext = {
  readonly from: string
  readonly publicUrl: string
  readonly serverName: () => Promise<string>
  readonly links: OwnLinks
  /** What a digest says now; undefined when its member has missed nothing. */
  readonly digestOf: (fid: number) => Promise<MailContent | undefined>
  /** Unix milliseconds. */
  readonly nowMs: () => number
}

export class Composer {
  readonly #context: ComposerContext

  constructor(context: ComposerContext) {
    this.#context = context
  }

  async frame({ content, ...frame }: Framed): Promise<Mail> {
    const { from, publicUrl, serverName } = this.#context
    return mailOf(content, { ...frame, from, publicUrl, serverName: await serverName() })
  }

  /** Undefined when there is nothing to be said any more. */
  async compose({ id, fid, address, kind, content }: WaitingMail): Promise<Mail | undefined> {
    const { links, digestOf, nowMs } = this.#context
    const said = kind === 'digest' ? await digestOf(fid!) : (JSON.parse(content) as MailContent)
    if (!said) return undefined
    const isOptional = kind !== 'security' && kind !== 'link' && fid !== null
    return this.frame({
      ...{ id, to: address, now: nowMs(), content: said, why: WHY[kind] },
      unsubscribe: isOptional ? await links.unsubscribe(fid, address, kind) : undefined,
    })
  }
}

const WHY: Readonly<Record<WaitingMail['kind'], string>> = {
  link: 'Somebody has entered this address there. If that was not you, do nothing.',
  security: 'You get this because an account there has this address.',
  moderation: 'You get this because an account there has this address.',
  reports: 'You get this because you moderate there.',
  digest: 'You get this because you have asked for it.',
}
